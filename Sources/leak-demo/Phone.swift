import LeakMessage

/// A made-up phone with the demo app on it.
struct Phone {
    let install: String
    let device: DeviceInfo
    let version: String
    let build: String
    /// The number of times that each screen is closed on this phone. It differs between phones, as between people.
    let closeCount: Int
    /// The number of times that a screen is closed from one leak to the next, without the number from 0 to 9 that each scenario
    /// adds.
    let minClosesPerLeak: Int

    /// Returns phones on two versions. Their models and installs contain `demo`, so that they are not taken for phones of
    /// real people.
    static func fleet(version: String, previous: String) -> [Phone] {
        [
            Phone(
                number: 1, os: "iOS", osVersion: "18.7", model: "iPhone15,4", version: previous, build: "201",
                closeCount: 24, minClosesPerLeak: 12),
            Phone(
                number: 2, os: "iOS", osVersion: "26.1", model: "iPhone17,1", version: previous, build: "201",
                closeCount: 30, minClosesPerLeak: 10),
            Phone(
                number: 3, os: "iOS", osVersion: "18.7", model: "iPad14,3", version: previous, build: "201",
                closeCount: 16, minClosesPerLeak: 8),
            Phone(
                number: 4, os: "iOS", osVersion: "26.1", model: "iPhone17,1", version: version, build: "210",
                closeCount: 40, minClosesPerLeak: 8),
            Phone(
                number: 5, os: "iOS", osVersion: "26.1", model: "iPhone18,1", version: version, build: "210",
                closeCount: 24, minClosesPerLeak: 6),
            Phone(
                number: 6, os: "tvOS", osVersion: "26.1", model: "AppleTV14,1", version: version,
                build: "210", closeCount: 10, minClosesPerLeak: 10),
            Phone(
                number: 7, os: "iOS", osVersion: "18.7", model: "iPhone15,4", version: version, build: "210",
                closeCount: 30, minClosesPerLeak: 6),
        ]
    }

    private init(
        number: Int, os: String, osVersion: String, model: String, version: String, build: String,
        closeCount: Int, minClosesPerLeak: Int
    ) {
        install = "demo-install-\(number)"
        device = DeviceInfo(os: os, osVersion: osVersion, model: "\(model) (demo)")
        self.version = version
        self.build = build
        self.closeCount = closeCount
        self.minClosesPerLeak = minClosesPerLeak
    }
}
