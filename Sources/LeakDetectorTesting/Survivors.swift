/// Objects of one class that were tracked at one source line and were not deallocated.
struct Survivors: Sendable {
    /// The scope at whose end the objects should have been deallocated.
    enum Scope: Sendable {
        case block, test
        /// A block after whose end the main actor was blocked: the actor's tasks could release nothing.
        case blockOnMainActor
    }

    /// The qualified name, such as `Shop.CartModel`.
    let className: String
    let place: TestLocation
    /// The number of objects that still exist.
    var aliveCount = 0
    /// The number of tracked objects, including deallocated objects.
    var trackedCount = 0
    /// The reason why the first living object stays, as a text that follows "It is"; `nil` if nothing is known.
    var explanation: String?
    /// `true` if the explanation shows a cycle, so that no other cause has to be searched for.
    var isInCycle = false
    /// The names of the closures on the path of the explanation and the lines that made them, as far as there are symbols and debug
    /// lines.
    var closures: [String] = []
    /// The known mistake behind the path of the explanation and the code to write instead, on separate lines.
    var advice: String?

    /// Returns the message of a failed test.
    ///
    /// - Parameter seconds: the time that the objects had after the end of the scope.
    func message(after scope: Scope, within seconds: Double) -> String {
        let count =
            trackedCount == 1
            ? "The instance of \(className) tracked here is"
            : "\(aliveCount) of \(trackedCount) instances of \(className) tracked here \(aliveCount == 1 ? "is" : "are")"
        let (end, holder) =
            switch scope {
            case .block: ("the block", "a variable outside of the block, or the block's result")
            case .blockOnMainActor:
                (
                    "the block",
                    "a variable outside of the block, or the block's result. A task of the main actor could not end "
                        + "meanwhile, since this form of expectNoLeaks blocks the actor: make the test async and write "
                        + "`await expectNoLeaks`"
                )
            case .test:
                (
                    "the test",
                    "or a property of the test case, which outlives the test: set it to nil in the test or in a "
                        + "teardown block, since tearDown() comes later"
                )
            }
        let them = aliveCount == 1 ? "it" : "them"
        let start = "\(count) still in memory \(Self.text(seconds)) s after \(end) ended"
        let subject = aliveCount == 1 ? "It is" : "The first is"
        var message = start + "." + (explanation.map { " \(subject) \($0)." } ?? "")
        if isInCycle {
            message += " If it may be freed later, pass a longer `within`."
        } else {
            message += """
                 Look for what holds \(them): a closure that captures \(them) without [weak], a delegate that is not weak, a timer, \
                task or observer that was not ended, \(holder). If an object may be freed later, pass a longer `within`.
                """
        }
        if !closures.isEmpty { message += "\nClosure: \(closures.joined(separator: "; "))" }
        return advice.map { "\(message)\n\($0)" } ?? message
    }

    /// Returns the seconds as text: `1` instead of `1.0`.
    private static func text(_ seconds: Double) -> String {
        let text = String(seconds)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
