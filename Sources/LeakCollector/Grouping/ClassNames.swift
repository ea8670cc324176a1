internal import LeakMessage

extension Grouping {
    /// The class by which checks find the leaks they are the denominator of: cleaned and without module, as in
    /// `LeakIdentity.className`.
    static func className(_ raw: String, module: String?) -> String {
        Subject.Name(raw, module: module).name
    }
}
