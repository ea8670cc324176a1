internal import CLeakSwiftRuntime

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Demangler of names, which uses the demangler of the Swift runtime.
enum RuntimeDemangler {
    /// Maximum bytes of a mangled name, enough for a class whose name has 512 bytes, the limit of the wire format.
    private static let byteLimit = 2048

    /// Demangles the name of a type.
    ///
    /// - Returns: the demangled name; `nil` if `name` is not mangled or too long, if the runtime cannot demangle it, or if its
    ///   demangled form might be too long: ``DemangledSizeBound``.
    static func demangle(_ name: String) -> String? { demangle(name, isFunction: false) }

    /// Demangles the symbol of a function, a closure, a thunk or a specialization.
    static func demangleFunction(_ symbol: String) -> String? { demangle(symbol, isFunction: true) }

    private static func demangle(_ name: String, isFunction: Bool) -> String? {
        guard name.utf8.count <= byteLimit else { return nil }
        // Removes Mach-O's leading underscore, which the runtime does not accept in front of `$s`.
        let symbol = name.hasPrefix("_$") ? String(name.dropFirst()) : name
        guard DemangledSizeBound.bound(symbol.utf8, isFunction: isFunction) != nil else { return nil }
        guard let plain = unsafe swift_demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
        defer { unsafe free(plain) }
        let text = unsafe String(cString: plain)
        return text == symbol ? nil : text
    }
}
