internal import LeakHTTPServer
internal import LeakStore

/// A notification channel: an address of a chat service or a program that gets messages about events, and the events that it gets.
///
/// The operator writes it as a URL. Its fragment, which is never sent, has the options:
/// `https://hooks.slack.com/services/T0/B0/x#app=shop&kinds=new_leak,regressed`.
struct Channel: Sendable {
    /// The service that reads the messages.
    enum Format: String, CaseIterable, Sendable {
        case slack, teams, discord, mattermost, telegram, ntfy, mail
        /// JSON with the header fields of Standard Webhooks: https://www.standardwebhooks.com
        case json

        var displayName: String {
            switch self {
            case .slack: "Slack"
            case .teams: "Microsoft Teams"
            case .discord: "Discord"
            case .mattermost: "Mattermost"
            case .telegram: "Telegram"
            case .ntfy: "ntfy"
            case .mail: "E-mail"
            case .json: "Webhook"
            }
        }
    }

    /// Number of messages an hour of a channel for people without the option `hourly`.
    static let defaultMessagesPerHour = 10

    /// Identifies the channel in the store: a hash of the URL with its options.
    let key: String
    let format: Format
    /// The address of requests, without user, password and fragment. Contains the secret of most services.
    let url: String
    /// The host and port of ``url``, which are no secret.
    let host: String
    /// User name and password, separated by a colon; `nil` if the address has none.
    private(set) var login: String?
    /// The sender and the recipients of a mail.
    private(set) var mail: (from: String, to: [String])?
    /// The chat or topic that the request body names, for Telegram and ntfy.
    private(set) var recipient: String?
    /// The key of the signature of a webhook; `nil` to send no signature.
    private(set) var signingKey: [UInt8]?
    /// The app whose events are sent; `nil` for all apps and the collector itself.
    private(set) var app: String?
    /// The environment whose events are sent; `nil` for all.
    private(set) var environment: String? = AppKey.production
    /// The kinds of events that are sent; `nil` for all.
    private(set) var kinds: Set<Event.Kind>?
    /// Number of messages an hour; the last of them contains all events that wait. `nil` for no limit.
    private(set) var messagesPerHour: Int?

    /// The channel for logs and pages, without secrets.
    var name: String { "\(format.displayName) (\(host))" }

    /// `true` if the event is sent to this channel.
    func matches(_ event: Event) -> Bool {
        if let kinds, !kinds.contains(event.kind) { return false }
        guard let key = event.app else { return app == nil }
        return (app == nil || app == key.name) && (environment == nil || environment == key.environment)
    }
}

// MARK: Parsing

/// Error for an address that is not a channel. The description completes “the address”, and never contains the address, which is a
/// secret.
struct ChannelError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Channel {
    /// - Parameter text: a URL with options in its fragment.
    /// - Throws: ``ChannelError``
    init(_ text: String) throws(ChannelError) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ChannelError("must be at most 2048 visible ASCII characters")
        }
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let schemes = ["https://", "http://", "smtps://", "smtp://"]
        guard let scheme = schemes.first(where: { parts[0].lowercased().hasPrefix($0) }) else {
            throw ChannelError("must begin with https://, http://, smtps:// or smtp://")
        }
        let rest = parts[0].dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest[authority.endIndex...]
        let at = authority.lastIndex(of: "@")
        host = (at.map { authority[authority.index(after: $0)...] } ?? authority).lowercased()
        guard let first = host.utf8.first, first != UInt8(ascii: ":"),
            host.utf8.allSatisfy({ !"\"\\<>^`{|}".utf8.contains($0) })
        else {
            throw ChannelError("has no host")
        }
        key = Base64.encoded(Array(SHA256Hash.hash(Array(text.utf8)).prefix(16)))

        let options = try Self.options(parts.count == 2 ? parts[1] : "")
        let path = String(target.prefix { $0 != "?" })
        var query = target.dropFirst(path.count + 1)
        let isMail = scheme.hasPrefix("smtp")
        guard
            let format = isMail
                ? .mail : try Self.format(named: options["format"]) ?? Self.format(host: host, path: path)
        else { throw ChannelError("is no webhook of Telegram: it needs /bot and the token of the bot") }
        self.format = format
        var sentPath = path.isEmpty ? "/" : path
        switch format {
        case .telegram:
            let (chats, others) = Self.take("chat_id", from: query)
            guard let chat = chats.first, !chat.isEmpty else {
                throw ChannelError("of Telegram needs the chat: …/sendMessage?chat_id=NUMBER")
            }
            (recipient, query) = (chat, others[...])
            if !sentPath.hasSuffix("/sendMessage") { sentPath += "/sendMessage" }
        case .ntfy:
            let topic = path.split(separator: "/").last ?? ""
            guard !topic.isEmpty else { throw ChannelError("of ntfy needs the topic: https://ntfy.sh/TOPIC") }
            recipient = PercentEncoding.decoded(Array(topic.utf8), plusIsSpace: false)
            sentPath = String(path.prefix(path.utf8.count - topic.utf8.count))
        case .discord:
            // Discord then answers with the stored message or an error, not with 204 before it has read the message.
            query = (Self.take("wait", from: query).others + (query.isEmpty ? "" : "&") + "wait=true")[...]
        case .mail:
            mail = try Self.mail(query)
            (sentPath, query) = ("", "")
        case .slack, .teams, .mattermost, .json:
            break
        }
        url = scheme + host + sentPath + (query.isEmpty ? "" : "?\(query)")
        login = at.map { PercentEncoding.decoded(Array(authority[..<$0].utf8), plusIsSpace: false) }
        try apply(options)
    }

    private static let optionNames = ["app", "environment", "format", "hourly", "kinds", "secret"]

    private static func options(_ fragment: Substring) throws(ChannelError) -> [String: String] {
        var options: [String: String] = [:]
        for pair in fragment.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard optionNames.contains(name), parts.count == 2, !parts[1].isEmpty, options[name] == nil else {
                throw ChannelError(
                    "has an option after # that is not one of \(optionNames.joined(separator: ", ")), comes twice or has no value"
                )
            }
            options[name] = PercentEncoding.decoded(Array(parts[1].utf8), plusIsSpace: false)
        }
        return options
    }

    private mutating func apply(_ options: [String: String]) throws(ChannelError) {
        app = options["app"]
        if let name = options["environment"] {
            environment = name == "all" ? nil : AppKey.environment(named: name)
        }
        if let names = options["kinds"] {
            let kinds = names.split(separator: ",").map { Event.Kind(rawValue: String($0)) }
            guard kinds.allSatisfy(Event.Kind.all.contains) else {
                throw ChannelError(
                    "has an unknown kind of events; the kinds are \(Event.Kind.all.map(\.rawValue).joined(separator: ","))"
                )
            }
            self.kinds = Set(kinds)
        }
        messagesPerHour = format == .json ? nil : Self.defaultMessagesPerHour
        if let text = options["hourly"] {
            guard let number = Int(text), (1...1000).contains(number) else {
                throw ChannelError("has the option hourly, which must be a number from 1 to 1000")
            }
            messagesPerHour = number
        }
        if let secret = options["secret"] {
            let text = secret.hasPrefix("whsec_") ? String(secret.dropFirst(6)) : secret
            guard format == .json, let key = Base64.decoded(text), (16...64).contains(key.count) else {
                throw ChannelError(
                    "has the option secret, which must be whsec_ and the base64 of 16 to 64 bytes, for a webhook in JSON"
                )
            }
            signingKey = key
        }
    }

    private static func format(named name: String?) throws(ChannelError) -> Format? {
        guard let name else { return nil }
        let formats = Format.allCases.filter { $0 != .mail }
        guard let format = formats.first(where: { $0.rawValue == name }) else {
            throw ChannelError(
                "has the option format, which must be one of \(formats.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return format
    }

    /// Returns the service with webhooks of this host and path; ``Format/json`` for an unknown one.
    private static func format(host: String, path: String) -> Format? {
        let name = host.prefix { $0 != ":" }
        func isIn(_ domain: String) -> Bool { name == domain || name.hasSuffix(".\(domain)") }
        if name == "hooks.slack.com" || name == "hooks.slack-gov.com" { return .slack }
        if isIn("logic.azure.com") || isIn("api.powerplatform.com") || isIn("webhook.office.com") {
            return .teams
        }
        if isIn("discord.com") || isIn("discordapp.com"), path.hasPrefix("/api/") { return .discord }
        if name == "api.telegram.org" { return path.hasPrefix("/bot") ? .telegram : nil }
        if name == "ntfy.sh" { return .ntfy }
        let last = path.split(separator: "/").suffix(2)
        let isMattermost =
            last.count == 2 && last.first == "hooks" && last.last?.utf8.count == 26
            && last.last?.utf8.allSatisfy({
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }) ?? false
        return isMattermost ? .mattermost : .json
    }

    /// Reads the sender and the recipients of a mail.
    private static func mail(_ query: Substring) throws(ChannelError) -> (from: String, to: [String]) {
        let senders = take("from", from: query).values
        let recipients = take("to", from: query).values.flatMap { $0.split(separator: ",").map(String.init) }
        let isValid = { (address: String) in
            address.contains("@") && address.utf8.count <= 254
                && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>,;\"".utf8.contains($0) }
        }
        guard senders.count == 1, (1...20).contains(recipients.count),
            (senders + recipients).allSatisfy(isValid)
        else {
            throw ChannelError(
                "of a mail server needs a sender and 1 to 20 recipients: smtps://HOST?from=ADDRESS&to=ADDRESS,ADDRESS"
            )
        }
        return (senders[0], recipients)
    }

    /// Returns the decoded values of a parameter, and the query without it.
    private static func take(_ name: String, from query: Substring) -> (values: [String], others: String) {
        let pairs = query.split(separator: "&")
        let found = pairs.filter { $0.hasPrefix("\(name)=") }
        return (
            found.map {
                PercentEncoding.decoded(Array($0.dropFirst(name.count + 1).utf8), plusIsSpace: true)
            },
            pairs.filter { !$0.hasPrefix("\(name)=") }.joined(separator: "&")
        )
    }
}
