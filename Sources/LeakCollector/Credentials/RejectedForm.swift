/// A form of the page of keys and tokens.
struct CredentialForm: Hashable, Sendable {
    var kind: CredentialKind
    var action: CredentialMutation.Action
    /// The id of the key or token; `nil` for a form that creates one. It is also `nil` if ``target`` is the path of a route,
    /// which contains `{id}` instead.
    var id: Int64?

    /// The address that the form is sent to.
    var target: LinkTarget {
        let id = id.map { "\($0)" } ?? "{id}"
        return switch action {
        case .create: .credentialForm(kind: kind.rawValue)
        case .rename: .credentialForm(kind: kind.rawValue, pathSuffix: "/\(id)/name")
        case .revoke: .credentialForm(kind: kind.rawValue, pathSuffix: "/\(id)/revoke")
        }
    }
}

/// A rejected form, shown again with the text that was typed.
struct RejectedForm: Hashable, Sendable {
    var form: CredentialForm
    var fields: CredentialFields
    /// The ``Problem/detail`` of the problem that rejected the form.
    var reason: String

    /// Returns the fields as they were filled in; `nil` if `form` is not the rejected one.
    static func fields(of form: CredentialForm, in rejected: RejectedForm?) -> CredentialFields? {
        rejected?.form == form ? rejected?.fields : nil
    }

    /// Returns the message above the fields of the rejected form; `nil` if `form` is not the rejected one.
    static func alert(of form: CredentialForm, in rejected: RejectedForm?) -> HTML? {
        guard let rejected, rejected.form == form else { return nil }
        return #"<p class="alert" role="alert" dir="auto">Could not save: \#(rejected.reason)</p>"#
    }
}
