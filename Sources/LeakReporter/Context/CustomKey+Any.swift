internal import Foundation
import LeakMessage

extension CustomKey.Value {
    /// Converts a value that the app passes.
    ///
    /// Strings, numbers, booleans and URLs are kept unchanged, boxed or not. For an error, its domain and code are kept; for a
    /// value with a `rawValue` of these kinds, the raw value; for any other enum without a description of its own, the name of
    /// the case. For any other value, only the type is kept, because descriptions may contain texts of users.
    init(_ any: Any) {
        self =
            Self.plainValue(any)
            ?? (any as? any RawRepresentable).flatMap { Self.plainValue($0.rawValue) }
            ?? Self.caseName(of: any).map(Self.string)
            ?? .string(UnknownContext.removed(from: String(reflecting: type(of: any))))
    }

    /// Converts a value that the app passes.
    ///
    /// - Returns: `nil` for an optional that is empty at any depth, and for `NSNull`.
    static func of(_ value: Any?) -> Self? { unwrappedValue(of: value).map { Self($0) } }

    /// The value, cut to the limits of the wire format.
    var truncated: Self {
        guard case .string(let text) = self else { return self }
        return .string(text.prefix(utf8: WireLimits.keyValueBytes))
    }

    private static func unwrappedValue(of value: Any?) -> Any? {
        guard var value, !(value is NSNull) else { return nil }
        while true {
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .optional else { return value }
            guard let inner = mirror.children.first?.value else { return nil }
            value = inner
        }
    }

    private static func plainValue(_ any: Any) -> Self? {
        // Compared by the exact type, because on Apple's systems `as? Bool` accepts the number 1 as well.
        switch type(of: any) {
        case is Bool.Type: return (any as? Bool).map(Self.boolean) ?? .string("Bool")
        case is String.Type: return .string(any as? String ?? "")
        default: break
        }
        switch any {
        case let text as String: return .string(text)
        case let text as any StringProtocol: return .string(String(text))
        case let number as NSNumber: return value(of: number)
        case let number as any BinaryInteger: return .number(Double(number))
        case let number as any BinaryFloatingPoint: return finiteNumber(Double(number))
        case let url as URL: return .string(url.absoluteString)
        case let error as any Error:
            let inner = error as NSError
            return .string("\(UnknownContext.removed(from: inner.domain)) \(inner.code)")
        default: return nil
        }
    }

    /// Returns the name of the case, without its associated values, which may contain data of a user.
    private static func caseName(of any: Any) -> String? {
        let mirror = Mirror(reflecting: any)
        // A description that the app writes itself may contain the associated values.
        guard mirror.displayStyle == .enum, !(any is any CustomStringConvertible) else { return nil }
        return mirror.children.first.map(\.label) ?? String(describing: any)
    }

    private static func value(of number: NSNumber) -> Self {
        // Foundation stores a boolean as a char, on Linux and on Apple's systems.
        let isBoolean = unsafe number.objCType.pointee == CChar(bitPattern: UInt8(ascii: "c"))
        return isBoolean ? .boolean(number.boolValue) : finiteNumber(number.doubleValue)
    }

    /// Returns a number if it is finite, otherwise its text, because JSON has no infinite numbers or NaN.
    private static func finiteNumber(_ number: Double) -> Self {
        number.isFinite ? .number(number) : .string("\(number)")
    }
}
