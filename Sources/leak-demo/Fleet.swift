import LeakMessage

/// A made-up phone with the demo app on it.
struct Phone {
    let install: String
    let device: DeviceInfo
    let version: String
    let build: String

    /// Phones on two versions. `demo` stands in every name, so that nobody takes them for people.
    static func fleet(version: String, previous: String) -> [Phone] {
        [
            Phone(1, "iOS", "18.7", "iPhone15,4", previous, "201"),
            Phone(2, "iOS", "26.1", "iPhone17,1", previous, "201"),
            Phone(3, "iOS", "18.7", "iPad14,3", previous, "201"),
            Phone(4, "iOS", "26.1", "iPhone17,1", version, "210"),
            Phone(5, "iOS", "26.1", "iPhone18,1", version, "210"),
            Phone(6, "tvOS", "26.1", "AppleTV14,1", version, "210"),
            Phone(7, "iOS", "18.7", "iPhone15,4", version, "210"),
        ]
    }

    private init(
        _ number: Int, _ os: String, _ osVersion: String, _ model: String, _ version: String, _ build: String
    ) {
        install = "demo-install-\(number)"
        device = DeviceInfo(os: os, osVersion: osVersion, model: "\(model) (demo)")
        self.version = version
        self.build = build
    }
}
