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
            Phone(
                number: 1, os: "iOS", osVersion: "18.7", model: "iPhone15,4", version: previous, build: "201",
                closes: 24, leaksEvery: 12),
            Phone(
                number: 2, os: "iOS", osVersion: "26.1", model: "iPhone17,1", version: previous, build: "201",
                closes: 30, leaksEvery: 10),
            Phone(
                number: 3, os: "iOS", osVersion: "18.7", model: "iPad14,3", version: previous, build: "201",
                closes: 16, leaksEvery: 8),
            Phone(
                number: 4, os: "iOS", osVersion: "26.1", model: "iPhone17,1", version: version, build: "210",
                closes: 40, leaksEvery: 8),
            Phone(
                number: 5, os: "iOS", osVersion: "26.1", model: "iPhone18,1", version: version, build: "210",
                closes: 24, leaksEvery: 6),
            Phone(
                number: 6, os: "tvOS", osVersion: "26.1", model: "AppleTV14,1", version: version,
                build: "210", closes: 10, leaksEvery: 10),
            Phone(
                number: 7, os: "iOS", osVersion: "18.7", model: "iPhone15,4", version: version, build: "210",
                closes: 30, leaksEvery: 6),
        ]
    }

    private init(
        number: Int, os: String, osVersion: String, model: String, version: String, build: String,
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
