internal import LeakCauses
internal import LeakMessage

/// The cause of a retain path, and the code to write instead.
struct CauseAdvice: Component {
    let cause: LeakCause
    /// True if no explanation has proven the path.
    let isSuspected: Bool

    var html: HTML {
        let certainty: HTML? = cause.isCertain && !isSuspected ? nil : "Probably: "
        return """
            <p>\(certainty)<b>\(cause.name).</b> \(explanation)</p>\
            <details><summary>What to write instead</summary><pre>\(cause.remedy)</pre></details>
            """
    }

    /// The explanation, with code in place of the parts between backticks.
    private var explanation: [HTML] {
        cause.explanation.split(separator: "`", omittingEmptySubsequences: false).enumerated().map {
            index, part in
            index.isMultiple(of: 2) ? "\(part)" : "<code>\(part)</code>"
        }
    }
}
