import LeakStore

/// A table of keys or tokens, each with forms to rename and revoke it. Revoked ones follow in a closed section.
struct CredentialTable: Component {
    var context: PageContext
    var kind: CredentialKind
    var credentials: [Credential]
    var rejected: RejectedForm?

    var html: HTML {
        let valid = credentials.filter { $0.revokedAt == nil }
        let revoked = credentials.filter { $0.revokedAt != nil }
        let list: HTML =
            valid.isEmpty
            ? "<p>There is no valid \(kind.noun). Create one.</p>" : table(valid, lastHeading: nil)
        guard !revoked.isEmpty else { return list }
        let title = Count(revoked.count).of("revoked \(kind.noun)", "revoked \(kind.noun)s")
        return
            #"\#(list)<details><summary>\#(title)</summary>\#(table(revoked, lastHeading: "Revoked"))</details>"#
    }

    /// Returns the table of valid or of revoked credentials.
    ///
    /// - Parameter lastHeading: the heading of the last column; `nil` if the column contains forms.
    private func table(_ credentials: [Credential], lastHeading: String?) -> HTML {
        let app: HTML? = kind == .keys ? #"<th scope="col">App</th>"# : nil
        let last: HTML = lastHeading.map { #"<th scope="col">\#($0)</th>"# } ?? "<td></td>"
        return #"""
            <table class="small access"><thead><tr><th scope="col">Name</th><th scope="col" class="num">ID</th>\#(app)\#
            <th scope="col">Created</th>\#(last)</tr></thead><tbody>\#(credentials.map { row($0) })</tbody></table>
            """#
    }

    private func row(_ credential: Credential) -> HTML {
        let app: HTML? =
            kind == .keys ? "<td>\(credential.app.map { IsolatedText($0).html } ?? "any app")</td>" : nil
        let last =
            credential.revokedAt.map { context.relativeTime($0).dayElement }
            ?? "\(isFromEnvironment(credential) ? nil : renameForm(credential))\(revokeForm(credential))"
        return #"""
            <tr><th scope="row">\#(IsolatedText(credential.name))</th><td class="num">\#(credential.id)</td>\#(app)\#
            <td>\#(context.relativeTime(credential.createdAt).dayElement)</td><td>\#(last)</td></tr>
            """#
    }

    /// Returns `true` for the credential from the environment. It cannot be renamed, because the next start finds it
    /// by its name.
    private func isFromEnvironment(_ credential: Credential) -> Bool {
        credential.name == kind.setting.variable
    }

    private func renameForm(_ credential: Credential) -> HTML {
        let form = CredentialForm(kind: kind, action: .rename, id: credential.id)
        let filled = RejectedForm.fields(of: form, in: rejected)
        return #"""
            <details\#(filled == nil ? "" : " open")><summary>Rename…</summary>\#
            <form class="filters" method="post" action="\#(context.links.to(form.target))">\#
            \#(RejectedForm.alert(of: form, in: rejected))\#
            <label>New name <input name="name" required maxlength="\#(Credentials.nameBytes / TriageForm.bytesPerUnit)" autocomplete="off" \#
            value="\#(filled?.name ?? credential.name)"\#(filled == nil ? "" : " autofocus")></label><button>Rename</button></form></details>
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
        let variable: HTML? =
            isFromEnvironment(credential)
            ? " It is set by \(kind.setting.variable): change that variable before you restart the collector."
            : nil
        return #"""
            <details><summary>Revoke…</summary><p>\#(consequence)\#(variable)</p>\#
            <form method="post" action="\#(context.links.to(form.target))">\#
            <button>Revoke \#(IsolatedText(credential.name))</button></form></details>
            """#
    }
}
