/// What a server tells while it works. Each is called on a loop's thread and must not block.
struct Observers: Sendable {
    var onAnswer: (@Sendable (AccessRecord) -> Void)?
    var onSlowCall: (@Sendable (SlowCall) -> Void)?
}
