#if PostgreSQL
    internal import LeakStore

    extension Writer {
        func add(_ credential: Credential, audit entry: AuditEntry?) throws(StoreError) -> Credential {
            let rows = try run(
                AuditEntry.query(
                    """
                    insert into credential
                      (purpose, name, hash, role, app, environments, created_at, expires_at, revoked_at, opened_by)
                    select $1::text, $2::text, $3::bytea, $4::text, $5::text, $6::text, $7::bigint, $8::bigint, $9::bigint,
                      $10::bigint
                    where $10::bigint is null or exists (
                      select 1 from credential where id = $10::bigint and revoked_at is null for share)
                    on conflict (hash) do nothing returning id
                    """,
                    [
                        .text(credential.purpose.rawValue), .text(credential.name), .bytes(credential.hash),
                        .text(credential.role?.rawValue), .text(credential.app),
                        .text(credential.environmentList), .integer(credential.createdAt),
                        .integer(credential.expiresAt), .integer(credential.revokedAt),
                        .integer(credential.openedBy),
                    ], audit: entry, namesRow: true))
            guard let id = rows.first?.int64(0) else { throw credential.refusal }
            var storedCredential = credential
            storedCredential.id = id
            return storedCredential
        }

        func revoke(credential id: Int64, audit entry: AuditEntry?, now: Int64) throws(StoreError) -> Bool {
            try run([
                AuditEntry.query(
                    """
                    update credential set revoked_at = $1::bigint where id = $2::bigint and revoked_at is null returning id
                    """, [.integer(now), .integer(id)], audit: entry),
                // Ends the sessions even if the credential was revoked before: a session may have been opened at the same moment.
                Query(
                    """
                    update credential set revoked_at = $1::bigint
                    where opened_by = $2::bigint and purpose = 'session' and revoked_at is null
                    """, .integer(now), .integer(id)),
            ])[0].first != nil
        }

        func setName(
            ofCredential id: Int64, to name: String, audit entry: AuditEntry?
        ) throws(StoreError) -> Bool {
            try Decision.validateName(name)
            return try run(
                AuditEntry.query(
                    "update credential set name = $1::text where id = $2::bigint and revoked_at is null returning id",
                    [.text(name), .integer(id)], audit: entry)
            ).first != nil
        }

        /// Marks a sign-in link as used by revoking it. Returns `false` if the link is unknown, has expired or was used before.
        func useOnce(hash: [UInt8], now: Int64) throws(StoreError) -> Bool {
            try run(
                Query(
                    """
                    update credential set revoked_at = $1::bigint
                    where hash = $2::bytea and purpose = 'sign_in' and revoked_at is null
                      and (expires_at is null or expires_at > $1::bigint)
                    """, .integer(now), .bytes(hash))
            ).changedRowCount == 1
        }
    }
#endif
