import LeakMessage

/// A made-up phone with the demo app on it.
struct Phone {
    let install: String
    let device: DeviceInfo
    let version: String
    let build: String
    /// Number of times that each screen is closed on this phone, because people differ.
    let closes: Int
    /// Number of closes from one mistake to the next.
    let leaksEvery: Int

    /// Returns phones on two versions. Every name contains `demo`, so that the phones are not taken for those of real
    /// people.
    static func fleet(version: String, previous: String) -> [Phone] {
        [
            Phone(1, "iOS", "18.7", "iPhone15,4", previous, "201", closes: 24, leaksEvery: 12),
            Phone(2, "iOS", "26.1", "iPhone17,1", previous, "201", closes: 30, leaksEvery: 10),
            Phone(3, "iOS", "18.7", "iPad14,3", previous, "201", closes: 16, leaksEvery: 8),
            Phone(4, "iOS", "26.1", "iPhone17,1", version, "210", closes: 40, leaksEvery: 8),
            Phone(5, "iOS", "26.1", "iPhone18,1", version, "210", closes: 24, leaksEvery: 6),
            Phone(6, "tvOS", "26.1", "AppleTV14,1", version, "210", closes: 10, leaksEvery: 10),
            Phone(7, "iOS", "18.7", "iPhone15,4", version, "210", closes: 30, leaksEvery: 6),
        ]
    }

    private init(
        _ number: Int, _ os: String, _ osVersion: String, _ model: String, _ version: String, _ build: String,
        closes: Int, leaksEvery: Int
    ) {
        install = "demo-install-\(number)"
        device = DeviceInfo(os: os, osVersion: osVersion, model: "\(model) (demo)")
        self.version = version
        self.build = build
        self.closes = closes
        self.leaksEvery = leaksEvery
    }
}
