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
        // The domain of a Swift error is its type's name; a private type's has an address in it.
        self.init(
            domain: UnknownContext.removed(from: bridged.domain), code: bridged.code,
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
            userInfo[name].map { CustomKey(name, value(of: $0)) }
        }
    }

    /// Of anything that is no plain value only the type: descriptions hold the texts of users.
    private static func value(of any: Any) -> CustomKey.Value {
        // By the exact type, since on Apple's systems `as? Bool` takes the number 1 as well.
        switch type(of: any) {
        case is Bool.Type: return (any as? Bool).map(CustomKey.Value.boolean) ?? .string("Bool")
        case is String.Type: return .string(any as? String ?? "")
        default: break
        }
        switch any {
        case let text as String: return .string(text)
        case let text as any StringProtocol: return .string(String(text))
        case let number as NSNumber: return value(of: number)
        case let number as any BinaryInteger: return .number(Double(number))
        case let number as any BinaryFloatingPoint: return finite(Double(number))
        case let url as URL: return .string(url.absoluteString)
        case let error as any Error:
            let inner = error as NSError
            return .string("\(UnknownContext.removed(from: inner.domain)) \(inner.code)")
        default: return .string(UnknownContext.removed(from: String(reflecting: type(of: any))))
        }
    }

    private static func value(of number: NSNumber) -> CustomKey.Value {
        // Foundation keeps a boolean as a char, on Linux and on Apple's systems.
        let isBoolean = unsafe number.objCType.pointee == CChar(bitPattern: UInt8(ascii: "c"))
        return isBoolean ? .boolean(number.boolValue) : finite(number.doubleValue)
    }

    /// JSON has no word for the others.
    private static func finite(_ number: Double) -> CustomKey.Value {
        number.isFinite ? .number(number) : .string("\(number)")
    }
}
