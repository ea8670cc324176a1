internal import LeakStore

extension Credential {
    /// Who acts with it, as a history names them: a token by its name, also where a browser was signed in with it.
    var actor: String {
        guard purpose == .session else { return name }
        guard openedBy != nil else { return SignIn.linkName }
        return name.hasPrefix(SignIn.sessionPrefix)
            ? String(name.dropFirst(SignIn.sessionPrefix.count)) : name
    }
}
