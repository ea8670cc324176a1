/// The person or the program that changes something, for the audit log.
public struct ChangeOrigin: Hashable, Sendable {
    /// The name of the token or of the person, as the history of a leak shows it: ``AuditEntry/actor``.
    public var actor: String
    /// ``AuditEntry/token``
    public var token: Int64?
    /// ``AuditEntry/address``
    public var address: String?

    public init(actor: String, token: Int64? = nil, address: String? = nil) {
        self.actor = actor
        self.token = token
        self.address = address
    }

    /// A command that was run on the collector's machine or with its database.
    public static let commandLine = ChangeOrigin(actor: "command line")
    /// The start of a collector, which creates the first key and token.
    public static let start = ChangeOrigin(actor: "start of the collector")

    /// The actors and authors that neither a token nor a user named by a proxy may have as its name.
    public static let reservedActors =
        [commandLine.actor, start.actor] + Decision.AutomaticAuthor.allCases.map(\.rawValue)
}

/// An entry of the audit log: who changed what, when, and from where. It contains no secrets.
public struct AuditEntry: Hashable, Sendable {
    /// The kind of a change. Later collectors may store further kinds.
    public struct Action: RawRepresentable, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let createKey = Action(rawValue: "create_key")
        public static let renameKey = Action(rawValue: "rename_key")
        public static let revokeKey = Action(rawValue: "revoke_key")
        public static let createToken = Action(rawValue: "create_token")
        public static let renameToken = Action(rawValue: "rename_token")
        public static let revokeToken = Action(rawValue: "revoke_token")
        public static let signIn = Action(rawValue: "sign_in")
        public static let signOut = Action(rawValue: "sign_out")
        public static let resolve = Action(rawValue: "resolve")
        public static let ignore = Action(rawValue: "ignore")
        public static let reopen = Action(rawValue: "reopen")
        public static let comment = Action(rawValue: "comment")
        public static let mergeLeaks = Action(rawValue: "merge_leaks")
        public static let undoMerge = Action(rawValue: "undo_merge")
        public static let changeRules = Action(rawValue: "change_rules")
        public static let pinRelease = Action(rawValue: "pin_release")
        public static let unpinRelease = Action(rawValue: "unpin_release")
        public static let uploadSymbols = Action(rawValue: "upload_symbols")
        public static let removeSymbols = Action(rawValue: "remove_symbols")
        public static let eraseInstall = Action(rawValue: "erase_install")
        public static let delete = Action(rawValue: "delete")
        public static let undoKey = Action(rawValue: "undo_key")
        public static let discard = Action(rawValue: "discard")
        public static let acceptAgain = Action(rawValue: "accept_again")

        /// Changes that people without the role of an administrator may make as often as they like.
        static let routine: [Action] = [
            .signIn, .signOut, .resolve, .ignore, .reopen, .comment, .uploadSymbols, .mergeLeaks,
            .undoMerge, .changeRules,
        ]
    }

    /// The number that the store assigns, higher than those of all earlier entries; 0 for an entry that is not stored yet.
    public var id: Int64
    /// Milliseconds since 1970.
    public var at: Int64
    /// The name of the token with which the change was made, also by a browser that was signed in with the token; the name of a
    /// person whom a proxy authenticated; `sign-in link`, `command line`, or `start of the collector`.
    public var actor: String
    /// The number of the token; `nil` if there was none.
    public var token: Int64?
    public var action: Action
    /// The object that was changed, such as `token 7`, `leak 0011…` or `com.acme.shop (debug)`.
    public var object: String
    /// A few words about the change, such as the new name; empty if there is nothing to add.
    public var details: String
    /// The address of the client; `nil` for a command and for the start of the collector.
    public var address: String?

    public init(
        id: Int64 = 0, at: Int64, actor: String, token: Int64? = nil, action: Action, object: String,
        details: String = "", address: String? = nil
    ) {
        self.id = id
        self.at = at
        self.actor = actor
        self.token = token
        self.action = action
        self.object = object
        self.details = details
        self.address = address
    }

    public init(
        _ action: Action, of object: String, details: String = "", by origin: ChangeOrigin, at time: Int64
    ) {
        self.init(
            at: time, actor: origin.actor, token: origin.token, action: action, object: object,
            details: details, address: origin.address)
    }

    /// Number of entries that a store keeps. An entry has at most about three kilobytes: five texts of ``maxTextBytes``.
    public static let maxCount = 100_000
    /// Entries beyond ``maxCount`` are deleted when the number of a new entry is a multiple of this.
    package static let trimInterval: Int64 = 100

    /// The statement that deletes the entries beyond ``maxCount``: first the oldest of ``Action/routine``, so that many sign-ins
    /// or comments cannot remove what administrators changed.
    package static let trimSQL = """
        delete from audit where id in (select id from audit
          order by action not in (\(Action.routine.map { "'\($0.rawValue)'" }.joined(separator: ", "))), id
          limit (select case when count(*) > \(maxCount) then count(*) - \(maxCount) else 0 end from audit))
        """
    /// Maximum number of days for which a store keeps an entry: two years.
    public static let maxDays = 731
    /// Maximum bytes of each text of an entry.
    static let maxTextBytes = 600

    /// The entry with texts that both SQLite and PostgreSQL can store, none longer than ``maxTextBytes``.
    package var storable: AuditEntry {
        var entry = self
        entry.actor = actor.storable(atMost: Self.maxTextBytes)
        entry.action.rawValue = action.rawValue.storable(atMost: Self.maxTextBytes)
        entry.object = object.storable(atMost: Self.maxTextBytes)
        entry.details = details.storable(atMost: Self.maxTextBytes)
        entry.address = address?.storable(atMost: Self.maxTextBytes)
        return entry
    }
}
