internal import LeakHTTPServer
internal import LeakStore

extension Gate {
    /// Returns the credential of a request that changes something. Call it after the body was read: a token may have been revoked
    /// meanwhile.
    ///
    /// - Throws: ``Problem`` 403.
    func author(of request: borrowing Request, now: Int64) throws(Problem) -> Credential {
        guard case .valid(let credential) = reader(of: request, now: now) else {
            throw Problem(
                .forbidden, "this session or token is not valid any more; sign in again or use another token")
        }
        // A browser adds the cookie of whoever is signed in to what another site has it send, in ways that
        // `SameSite` does not cover: a page of the same host on another port, for one.
        let provenance = provenance(of: request)
        guard provenance == .here || provenance == .untold && credential.purpose != .session else {
            throw Problem(
                .forbidden,
                provenance == .elsewhere
                    ? "this was sent from another site; open the page here and send it there"
                    : "nothing says that this comes from a page of this collector; send an access token instead"
            )
        }
        return credential
    }

    /// Reads all credentials anew.
    func reload(from reader: any StoreReader, now: Int64) throws(StoreError) {
        var isTaken = false
        while !isTaken {
            let edits = edits
            isTaken = replace(try reader.credentials(all: true, now: now), since: edits)
        }
    }
}
