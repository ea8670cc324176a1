import Testing

@testable import LeakStore

/// Access tokens that were stored before tokens had roles.
enum MigratedRoles {
    /// SQL that gives the token `ci` the purpose of tokens for release checks, which later schemas do not have.
    static let checkPurposeSQL = "update credential set purpose = 'check' where name = 'ci'"

    /// Adds tokens, migrates, and expects the role of each token.
    ///
    /// - Parameter migrate: brings the database to the schema before roles, and opens it again.
    static func test(in store: any Store, migrate: () throws -> any Store) throws {
        func add(_ purpose: Credential.Purpose, _ name: String) throws {
            _ = try store.add(
                Credential(
                    purpose: purpose, name: name, hash: Array(name.utf8), createdAt: noon,
                    expiresAt: purpose == .session ? noon + hour : nil))
        }
        try add(.ingest, "key")
        try add(.access, "ann")
        try add(.access, "ci")
        try add(.session, "signed in by ann")
        let migrated = try migrate().makeReader().credentials(includingEnded: true, now: noon)
        #expect(migrated.map(\.name) == ["key", "ann", "ci", "signed in by ann"])
        #expect(migrated.map(\.purpose) == [.ingest, .access, .access, .session])
        #expect(migrated.map(\.role) == [nil, .admin, .check, .admin])
        #expect(migrated.map(\.app) == [nil, nil, nil, nil])
    }
}
