internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// Keys and tokens that people and programs make, rename and revoke: forms of `/access`, and the same under `/api/v1`.
struct Handing: Sendable {
    let store: any Store
    let gate: Gate
    let pool: ReadPool
    let log: Log

    /// Does it, where it may wait for the disk; once it is answered, the gate knows.
    ///
    /// - Parameters:
    ///   - address: of this collector.
    ///   - now: milliseconds since 1970.
    func receive(
        _ change: HandoutChange, _ request: borrowing Request, _ responder: consuming Responder,
        address: String,
        now: Int64
    ) {
        let fields: HandoutFields
        do throws(Problem) {
            let author = try gate.author(of: request, now: now)
            guard change.isForm || author.purpose == .access else {
                throw .unauthorized("this needs an access token (Authorization: Bearer TOKEN)")
            }
            fields = try change.fields(of: request)
        } catch {
            responder.send(change.refusal(error, now: now))
            return
        }
        let later = SharedResponder(responder)
        let isTaken = pool.run { [self] reader, _ in
            do {
                let outcome = try change.run(fields, with: Credentials(store: store), now: now)
                try refresh(from: reader, now: now)
                later.send(change.answer(outcome, address: address, now: now))
            } catch {
                let problem =
                    (error as? Problem) ?? (error as? StoreError).map { Problem($0) }
                    ?? Problem(.internalServerError, "the collector's log says what happened")
                if problem.status.code >= 500 {
                    log.error("changing a \(change.kind.noun): \(problem.cause ?? "\(error)")")
                }
                later.send(change.refusal(problem, of: fields, from: reader, now: now))
            }
        }
        if !isTaken {
            later.send(
                change.refusal(
                    .unavailable("too many questions wait for the store", afterSeconds: 1),
                    written: fields.name, now: now))
        }
    }

    /// Reads all anew: with a token, the sessions that it opened are over too.
    private func refresh(from reader: any StoreReader, now: Int64) throws(StoreError) {
        var isTaken = false
        while !isTaken {
            let edits = gate.edits
            isTaken = gate.replace(try reader.credentials(all: true, now: now), since: edits)
        }
    }
}
