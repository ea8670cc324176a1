internal import Foundation
import LeakMessage

extension ReportedError {
    /// What Crashlytics would keep of an error: domain, code and `userInfo`.
    ///
    /// - Parameter extra: takes precedence over the error's own `userInfo`.
    init(_ error: any Error, adding extra: [String: Any] = [:]) {
        let bridged = error as NSError
        var userInfo = bridged.userInfo
        // Bridging asks a LocalizedError for its text too late, and on Linux never.
        if userInfo[NSLocalizedDescriptionKey] == nil,
            let text = (error as? any LocalizedError)?.errorDescription
        {
            userInfo[NSLocalizedDescriptionKey] = text
        }
        userInfo.merge(extra) { $1 }
        // The domain of a Swift error is its type's name; a private type's has an address in it. Without domain and text the
        // collector could not tell which error it is.
        let domain = bridged.domain.isEmpty ? String(reflecting: type(of: error)) : bridged.domain
        self.init(
            domain: UnknownContext.removed(from: domain), code: bridged.code,
            userInfo: Self.keys(of: userInfo))
    }

    /// The description first, since that is what the collector reads, then by name: a dictionary has another order
    /// in every launch.
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
