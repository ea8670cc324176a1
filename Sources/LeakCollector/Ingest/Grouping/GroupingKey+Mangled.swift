internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

extension GroupingKey {
    /// `true` if a part of the key is a mangled name that could not be demangled. The name is used as received, so
    /// another toolchain's spelling of the same type becomes another leak.
    var isMangled: Bool { ([className] + stack).contains { TypeName($0).isUndemangled } }
}
