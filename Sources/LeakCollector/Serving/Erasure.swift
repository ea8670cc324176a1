internal import HTTPServer
internal import LeakMessage
public import LeakStore

/// Erasing one install: `DELETE /api/v1/installs/{id}` and `collector erase`.
public struct Erasure: Sendable {
    let store: any Store
    let pool: ReadPool
    let log: Log

    /// Blocks on the store.
    ///
    /// - Parameter install: the id as the app sent it.
    public static func run(install: String, in store: any Store) throws(StoreError) -> Erased {
        try store.erase(install: Install.hash(install))
    }

    /// Answers once the install is gone. The id is in no log: it is what somebody asked to forget.
    func receive(_ install: String, _ request: borrowing Request, _ responder: consuming Responder) {
        guard Visits.isFromHere(request) else {
            responder.send(Problem(.forbidden, "this request was sent from another site").response)
            return
        }
        let later = SharedResponder(responder)
        let isTaken = pool.run { _ in
            do throws(StoreError) {
                let erased = try Self.run(install: install, in: store)
                later.send(
                    Answer.json { writer in
                        writer.field("samples", erased.samples)
                        writer.field("sets", erased.sets)
                    })
            } catch {
                log.error("erasing an install: \(error)")
                later.send(Problem(error).response)
            }
        }
        if !isTaken {
            later.send(
                Problem.unavailable("too many questions wait for the store", afterSeconds: 1).response)
        }
    }
}
