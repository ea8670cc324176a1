internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// What people decide about leaks: `POST /leaks/{leak}/decisions` from a page's form, and the same under `/api/v1` in
/// JSON.
struct Triage: Sendable {
    /// Bytes of a decision: a note, each byte of it written as `\u0000`, and a little more.
    static let bodyBytes = 16 * 1024

    let store: any Store
    let gate: Gate
    let pool: ReadPool
    let log: Log

    /// Decides, where it may wait for the disk.
    ///
    /// - Parameter now: milliseconds since 1970.
    func receive(_ act: Act, _ request: borrowing Request, _ responder: consuming Responder, now: Int64) {
        let note = act.note(of: request)
        let decision: Decision
        do throws(Problem) {
            let who = try gate.author(of: request, now: now)
            decision = try act.fields(of: request).decision(by: who.actor, now: now)
        } catch {
            responder.send(act.refusal(error, note: note, now: now))
            return
        }
        let later = SharedResponder(responder)
        let isTaken = pool.run { [store, log] reader, _ in
            do {
                var act = act
                var stored = try store.decide(decision, about: act.leak, now: now)
                // A page that was opened before its leak was merged into another one.
                if stored == nil, let target = try reader.target(ofMerged: act.leak) {
                    act = act.about(target)
                    stored = try store.decide(decision, about: target, now: now)
                }
                guard let stored else { throw Problem.noLeak }
                later.send(try act.answer(stored, from: reader, now: now))
            } catch {
                let problem =
                    (error as? Problem) ?? (error as? StoreError).map { Problem($0) }
                    ?? Problem(.internalServerError, "the collector's log says what happened")
                if problem.status.code >= 500 {
                    log.error("deciding about \(act.leak): \(problem.cause ?? "\(error)")")
                }
                later.send(act.refusal(problem, note: note, now: now))
            }
        }
        if !isTaken {
            later.send(
                act.refusal(
                    .unavailable("too many questions wait for the store", afterSeconds: 1), note: note,
                    now: now))
        }
    }
}
