import LeakStore

/// A table of keys or tokens, each with forms to rename and revoke it. Revoked keys or tokens follow in a collapsed section.
struct CredentialTable: Component {
    var context: PageContext
    var kind: CredentialKind
    var credentials: [Credential]
    var rejected: RejectedForm?

    var html: HTML {
        let valid = credentials.filter { $0.revokedAt == nil }
        let revoked = credentials.filter { $0.revokedAt != nil }
        let validTable: HTML =
            valid.isEmpty
            ? "<p>There is no valid \(kind.noun). Create one.</p>" : table(valid, lastHeading: nil)
        guard !revoked.isEmpty else { return validTable }
        let title = Count(revoked.count).text(noun: "revoked \(kind.noun)", plural: "revoked \(kind.noun)s")
        return
            #"\#(validTable)<details><summary>\#(title)</summary>\#(table(revoked, lastHeading: "Revoked"))</details>"#
    }

    /// Returns the table of valid or of revoked credentials.
    ///
    /// - Parameter lastHeading: the heading of the last column; `nil` if the column contains forms.
    private func table(_ credentials: [Credential], lastHeading: String?) -> HTML {
        let heading: HTML = kind == .keys ? "App" : "Role"
        let lastHeadingCell: HTML = lastHeading.map { #"<th scope="col">\#($0)</th>"# } ?? "<td></td>"
        return #"""
            <table class="small access"><thead><tr><th scope="col">Name</th><th scope="col" class="num">ID</th><th scope="col">\#(heading)</th>\#
            <th scope="col">Created</th>\#(lastHeadingCell)</tr></thead><tbody>\#(credentials.map { row($0) })</tbody></table>
            """#
    }

    private func row(_ credential: Credential) -> HTML {
        let rights = kind == .keys ? appText(credential) : roleText(credential)
        let lastCell =
            credential.revokedAt.map {
                "\(context.relativeTime($0).dayElement) \(undoLink(credential))" as HTML
            }
            ?? "\(isSetByVariable(credential) ? nil : renameForm(credential))\(revokeForm(credential))\(undoLink(credential))"
        return #"""
            <tr><th scope="row">\#(IsolatedText(credential.name))</th><td class="num">\#(credential.id)</td><td>\#(rights)</td>\#
            <td>\#(context.relativeTime(credential.createdAt).dayElement)</td><td>\#(lastCell)</td></tr>
            """#
    }

    /// Returns the link to the page that deletes what a key made; `nil` for a token.
    private func undoLink(_ credential: Credential) -> HTML? {
        guard kind == .keys else { return nil }
        return
            #"<a href="\#(context.links.to(.forget(.key(credential.id, since: nil))))">Delete its data…</a>"#
    }

    /// Returns the app and the environments that a key is restricted to.
    private func appText(_ credential: Credential) -> HTML {
        let app: HTML = credential.app.map { IsolatedText($0).html } ?? "any app"
        guard !credential.environments.isEmpty else { return app }
        return "\(app)<small>\(IsolatedText(credential.environments.joined(separator: ", ")))</small>"
    }

    /// Returns the role of a token, and the app that it is limited to. A role that this collector does not know has no rights.
    private func roleText(_ credential: Credential) -> HTML {
        let role: HTML = credential.role.map { "\($0.rawValue)" } ?? "none"
        return "\(role)\(credential.app.map { "<small>only \(IsolatedText($0))</small>" as HTML })"
    }

    /// Returns `true` for the credential that an environment variable sets. The credential cannot be renamed, because the
    /// next start finds it by its name.
    private func isSetByVariable(_ credential: Credential) -> Bool {
        credential.name == kind.setting.variable
    }

    private func renameForm(_ credential: Credential) -> HTML {
        let form = CredentialForm(kind: kind, action: .rename, id: credential.id)
        let typedFields = RejectedForm.fields(of: form, in: rejected)
        return #"""
            <details\#(typedFields == nil ? "" : " open")><summary>Rename…</summary>\#
            <form class="filters" method="post" action="\#(context.links.to(form.target))">\#
            \#(RejectedForm.alert(of: form, in: rejected))\#
            <label>New name <input name="name" required maxlength="\#(Credentials.maxNameBytes / TriageForm.maxBytesPerUnit)" autocomplete="off" \#
            value="\#(typedFields?.name ?? credential.name)"\#(typedFields == nil ? "" : " autofocus")></label><button>Rename</button></form></details>
            """#
    }

    private func revokeForm(_ credential: Credential) -> HTML {
        let form = CredentialForm(kind: kind, action: .revoke, id: credential.id)
        let consequence: HTML =
            switch kind {
            case .keys: "Reports sent with it will be rejected. This cannot be undone."
            case .tokens:
                """
                Programs that use it will be rejected, and people who signed in with it will be signed out. \
                This cannot be undone.
                """
            }
        let variableNote: HTML? =
            isSetByVariable(credential)
            ? " It is set by \(kind.setting.variable): change that variable before you restart the collector."
            : nil
        return #"""
            <details><summary>Revoke…</summary><p>\#(consequence)\#(variableNote)</p>\#
            <form method="post" action="\#(context.links.to(form.target))">\#
            <button>Revoke \#(IsolatedText(credential.name))</button></form></details>
            """#
    }
}
