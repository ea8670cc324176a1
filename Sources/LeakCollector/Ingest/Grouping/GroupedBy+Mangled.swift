internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

extension GroupedBy {
    /// A part of the key is a mangled name that nobody could read: it stands as it came, and another toolchain's spelling
    /// of the same type would be another leak.
    var isMangled: Bool { ([className] + stack).contains { TypeName($0).isUndemangled } }
}
