internal import CLeakSwiftRuntime

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Reads mangled names with the demangler that the Swift runtime brings along.
enum RuntimeDemangler {
    /// The longest mangled name that is tried; what a class of the wire format's 512 bytes can be mangled to.
    private static let byteLimit = 2048

    /// - Returns: the plain name, or `nil` when `name` is not mangled, has no bound by ``ManglingSize``, or the
    ///   runtime leaves it as it is.
    static func demangle(_ name: String) -> String? { demangle(name, isFunction: false) }

    /// Reads the symbol of a function, a closure, a thunk or a specialization.
    static func demangleFunction(_ symbol: String) -> String? { demangle(symbol, isFunction: true) }

    private static func demangle(_ name: String, isFunction: Bool) -> String? {
        guard name.utf8.count <= byteLimit else { return nil }
        // Mach-O's leading underscore, which the runtime does not know in front of `$s`.
        let symbol = name.hasPrefix("_$") ? String(name.dropFirst()) : name
        guard ManglingSize.bound(symbol.utf8, isFunction: isFunction) != nil else { return nil }
        guard let plain = unsafe swift_demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
        defer { unsafe free(plain) }
        let text = unsafe String(cString: plain)
        return text == symbol ? nil : text
    }
}
