internal import Foundation

/// Folders that an app shares with its extensions.
enum AppGroup {
    /// - Returns: the path of the container; `nil` if the system has no app groups, or the app is not entitled to this group.
    static func container(_ identifier: String) -> String? {
        #if canImport(Darwin)
            FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier)?.path
        #else
            nil
        #endif
    }
}
