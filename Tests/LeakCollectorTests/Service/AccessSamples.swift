import LeakStore

@testable import LeakCollector

extension Shop {
    static let apps = [
        AccessPage.App(key: "com.acme.shop", currentRelease: "5.2.0", lastSeen: now - 4 * minute),
        AccessPage.App(key: "com.acme.driver", currentRelease: nil, lastSeen: nil),
    ]

    static let keys = [
        credential(1, .ingest, "first", app: "com.acme.shop"), credential(2, .ingest, "COLLECTOR_INGEST_KEY"),
        credential(5, .ingest, "lost <phone>", revokedAt: now - 30 * hour),
    ]

    static let tokens = [
        credential(3, .access, "ann", role: .admin),
        credential(4, .access, "release checks", role: .check, app: "com.acme.shop"),
    ]

    private static func credential(
        _ id: Int64, _ purpose: Credential.Purpose, _ name: String, role: Credential.Role? = nil,
        app: String? = nil, revokedAt: Int64? = nil
    ) -> Credential {
        Credential(
            id: id, purpose: purpose, name: name, hash: [], role: role, app: app, createdAt: now - 900 * hour,
            revokedAt: revokedAt)
    }
}
