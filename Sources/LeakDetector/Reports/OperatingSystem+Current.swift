internal import Foundation

extension OperatingSystem {
    static let current: OperatingSystem = {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return OperatingSystem(
            name: name, version: [version.majorVersion, version.minorVersion, version.patchVersion])
    }()

    #if os(iOS)
        private static let name = "iOS"
    #elseif os(tvOS)
        private static let name = "tvOS"
    #elseif os(visionOS)
        private static let name = "visionOS"
    #elseif os(macOS)
        private static let name = "macOS"
    #else
        private static let name = "Linux"
    #endif
}
