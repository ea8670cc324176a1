extension Writer {
    /// Stores a credential, and returns it with its id.
    func add(_ credential: Credential, audit entry: AuditEntry?) throws(StoreError) -> Credential {
        try connection.transaction(.immediate) { () throws(StoreError) in
            let added = try insert(credential)
            var entry = entry
            entry?.object += " \(added.id)"
            try record(entry)
            return added
        }
    }

    private func insert(_ credential: Credential) throws(StoreError) -> Credential {
        try connection.run(
            """
            insert into credential (purpose, name, hash, role, app, environments, created_at, expires_at, revoked_at,
              opened_by)
            select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
            where ?10 is null or exists (select 1 from credential where id = ?10 and revoked_at is null)
            on conflict (hash) do nothing
            """, credential.purpose.rawValue, credential.name, credential.hash,
            credential.role?.rawValue, credential.app, credential.environmentList, credential.createdAt,
            credential.expiresAt, credential.revokedAt,
            credential.openedBy)
        guard connection.changes == 1 else { throw credential.refusal }
        var added = credential
        added.id = connection.lastInsertedRowID
        return added
    }

    /// Revokes a credential, and the sessions that were opened with it.
    ///
    /// - Returns: `true` if there was such a credential and it was not revoked already.
    func revoke(credential id: Int64, audit entry: AuditEntry?, now: Int64) throws(StoreError) -> Bool {
        try connection.transaction(.immediate) { () throws(StoreError) in
            try connection.run(
                "update credential set revoked_at = ? where id = ? and revoked_at is null", now, id)
            let isRevoked = connection.changes == 1
            // Revokes the sessions even if the credential was already revoked, because a session may have been opened at the
            // same moment.
            try connection.run(
                """
                update credential set revoked_at = ?
                where opened_by = ? and purpose = 'session' and revoked_at is null
                """, now, id)
            if isRevoked { try record(entry) }
            return isRevoked
        }
    }

    /// Renames a credential that is not revoked.
    ///
    /// - Returns: `false` if there is no such credential.
    func setName(
        ofCredential id: Int64, to name: String, audit entry: AuditEntry?
    ) throws(StoreError) -> Bool {
        try Decision.validateName(name)
        return try connection.transaction(.immediate) { () throws(StoreError) in
            try connection.run("update credential set name = ? where id = ? and revoked_at is null", name, id)
            guard connection.changes == 1 else { return false }
            try record(entry)
            return true
        }
    }

    /// Revokes a sign-in link, because it is used.
    ///
    /// - Returns: `false` if the link does not exist, was used before, or has expired.
    func useOnce(hash: [UInt8], now: Int64) throws(StoreError) -> Bool {
        try connection.run(
            """
            update credential set revoked_at = ?1
            where hash = ?2 and purpose = 'sign_in' and revoked_at is null
              and (expires_at is null or expires_at > ?1)
            """, now, hash)
        return connection.changes == 1
    }
}
