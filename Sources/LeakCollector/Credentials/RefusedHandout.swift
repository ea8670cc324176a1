/// A form of the page that was refused: it is shown again as it was filled in, so that nobody types it twice.
struct RefusedHandout: Hashable, Sendable {
    var change: HandoutChange
    var fields: HandoutFields
    /// What is wrong, as a ``Problem`` says it.
    var reason: String

    /// What was filled in where a form is this one.
    static func fields(of form: HandoutChange, in refused: RefusedHandout?) -> HandoutFields? {
        refused?.change == form ? refused?.fields : nil
    }

    /// Above the fields of the form that was refused.
    static func alert(of form: HandoutChange, in refused: RefusedHandout?) -> HTML? {
        guard let refused, refused.change == form else { return nil }
        return #"<p class="alert" role="alert" dir="auto">Nothing was changed: \#(refused.reason)</p>"#
    }
}
