/// A known mistake that leaks objects: how to recognize it, the text about it and the code to write instead.
///
/// Texts contain placeholders for names of the path, such as `{field|handler}`. The word after the bar is used if the path has no
/// such name.
/// - `field`: the field that the rule's last condition matched, such as `model.onPaid`; `property` and `name`: its first and last
///   part; `ownField`: the same field, if its owner's type belongs to the app or one of its libraries.
/// - `owner`: the type of the field's owner; `object`: a variable of that type; `target`: the type that the field leads to.
/// - `holder`: the last property of the app before the field; `list`: the last collection up to the field.
struct LeakPattern: Sendable {
    let identifier: String
    let name: String
    let explanation: String
    let remedy: String
    /// The rules of the pattern. One match is enough to recognize the pattern.
    let rules: [LeakRule]

    init(
        _ identifier: String, name: String, explanation: String, remedy: String,
        rules: LeakRule...
    ) {
        self.identifier = identifier
        self.name = name
        self.explanation = explanation
        self.remedy = remedy
        self.rules = rules
    }

    /// All patterns, from specific to general. The first pattern that matches is the cause.
    static let all =
        methodReferences + kit + swiftUI + foundation + reactive + concurrency + ownership + globals
        + closures
}
