internal import Foundation
import LeakMessage

extension ReportedError {
    /// Creates a report of an error with the values that Crashlytics would keep: domain, code and `userInfo`.
    ///
    /// - Parameter extra: values that take precedence over the error's own `userInfo`.
    init(_ error: any Error, adding extra: [String: Any] = [:]) {
        let bridged = error as NSError
        var userInfo = bridged.userInfo
        // Bridging leaves the text of a `LocalizedError` out of `userInfo`: Apple's systems look it up later, and Linux never
        // does.
        if userInfo[NSLocalizedDescriptionKey] == nil,
            let text = (error as? any LocalizedError)?.errorDescription
        {
            userInfo[NSLocalizedDescriptionKey] = text
        }
        userInfo.merge(extra) { $1 }
        // The domain of a Swift error is the name of its type; the name of a private type contains an address. Without domain and
        // text, the collector could not identify the error.
        let domain = bridged.domain.isEmpty ? String(reflecting: type(of: error)) : bridged.domain
        self.init(
            domain: UnknownContext.removed(from: domain), code: bridged.code,
            userInfo: Self.keys(of: userInfo))
    }

    /// Returns the values with the description first, because the collector parses it, and all other values sorted by name: the order of
    /// a dictionary differs in every launch.
    private static func keys(of userInfo: [String: Any]) -> [CustomKey] {
        let names = userInfo.keys.sorted { one, other in
            let isFirst = one == NSLocalizedDescriptionKey
            return isFirst != (other == NSLocalizedDescriptionKey) ? isFirst : one < other
        }
        return names.prefix(WireLimits.userInfoCount).compactMap { name in
            userInfo[name].map { CustomKey(name, .init($0)) }
        }
    }
}
