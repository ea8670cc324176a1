internal import LeakHTTPClient
internal import LeakMessage
internal import LeakPlatform
internal import LeakStore

/// A message about one or several events, and the request that sends it to a channel.
///
/// Texts of events come from apps. Where a service would read formatting or mentions in them, it gets them as plain text, or
/// escaped.
struct ChannelMessage {
    /// Number of events that a message lists; it counts the others.
    static let maxListedEvents = 10

    /// At least one event, oldest first.
    let events: [Event]
    /// The address of this collector, for links.
    let address: String
    /// Milliseconds since 1970.
    let time: Int64

    /// The identifier of the message, the same whenever it is sent again.
    var id: String { events.last.map { "evt_\($0.id)_\($0.at)" } ?? "test_\(time)" }

    /// Returns the request that sends this message.
    func request(to channel: Channel) -> ChannelRequest {
        var body = JSONWriter()
        switch channel.format {
        case .mail:
            return ChannelRequest(
                url: channel.url, fields: [], body: Array(mail(channel.mail?.from ?? "").utf8),
                mail: channel.mail, login: channel.login)
        case .slack: body.object { slack(&$0) }
        case .teams: body.object { teams(&$0) }
        case .discord: body.object { discord(&$0) }
        case .mattermost: body.object { $0.field("text", markdown) }
        case .telegram:
            body.object { writer in
                writer.field("chat_id", channel.recipient)
                writer.field("text", "\(headline)\n\(text)\n\(link)")
            }
        case .ntfy:
            body.object { writer in
                writer.field("topic", channel.recipient)
                writer.field("title", headline)
                writer.field("message", text)
                writer.field("click", link)
            }
        case .json: body.object { webhook(&$0) }
        }
        var fields = [HTTPField("Content-Type", "application/json")]
        if let login = channel.login {
            fields.append(HTTPField("Authorization", "Basic \(Base64.encoded(Array(login.utf8)))"))
        }
        if channel.format == .json {
            let seconds = "\(time / 1000)"
            fields += [HTTPField("webhook-id", id), HTTPField("webhook-timestamp", seconds)]
            if let key = channel.signingKey {
                let code = SHA256Hash.authenticationCode(
                    of: Array("\(id).\(seconds).".utf8) + body.bytes, key: key)
                fields.append(HTTPField("webhook-signature", "v1,\(Base64.encoded(code))"))
            }
        }
        return ChannelRequest(url: channel.url, fields: fields, body: body.bytes)
    }

    // MARK: Texts

    private var single: Event? { events.count == 1 ? events.first : nil }

    private var headline: String {
        guard let first = events.first else { return "Test message of the leak collector" }
        return single?.headline ?? "\(events.count) events, the first: \(first.headline)".firstBytes(250)
    }

    /// The sentences of the message, a line each.
    private var text: String {
        guard !events.isEmpty else { return "This channel gets messages about events from \(address)." }
        if let single { return single.plainText }
        let lines = events.prefix(Self.maxListedEvents).map {
            "• \($0.headline): \($0.plainText)".firstBytes(250)
        }
        let others = events.count - lines.count
        return (lines + (others > 0 ? ["and \(others) more"] : [])).joined(separator: "\n")
    }

    private var link: String { single?.pageAddress(address) ?? "\(address)/events" }

    private var markdown: String {
        "**\(headline.markdownEscaped)**\n\(text.markdownEscaped)\n\(link)"
    }

    // MARK: Formats

    /// RFC 5322 §3.6, RFC 2045, RFC 2047. The body is in base64, so no line of it can end the mail or be too long.
    private func mail(_ sender: String) -> String {
        let time = CivilTime(milliseconds: time)
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = [time.hour, time.minute, time.second].map(twoDigits).joined(separator: ":")
        let lines = [
            "Date: \(time.date.day) \(months[time.date.month - 1]) \(time.date.year) \(clock) +0000",
            "From: Leak collector <\(sender)>", "To: undisclosed-recipients:;",
            "Message-ID: <\(id)@\(sender.split(separator: "@").last ?? "localhost")>",
            "Subject: \(headline.encodedWords)", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "",
        ]
        let body = Array(Base64.encoded(Array("\(text)\n\n\(link)\n".utf8)))
        let bodyLines = stride(from: 0, to: body.count, by: 76).map {
            String(body[$0..<min($0 + 76, body.count)])
        }
        return (lines + bodyLines).map { "\($0)\r\n" }.joined()
    }

    /// https://docs.slack.dev/reference/block-kit/blocks/section-block
    private func slack(_ writer: inout JSONWriter) {
        func plain(_ text: String, _ writer: inout JSONWriter) {
            writer.field("type", "plain_text")
            writer.field("text", text)
            writer.field("emoji", false)
        }
        // Notifications show this text, in which `<`, `>` and `&` would begin mentions and links.
        writer.field(
            "text",
            headline.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;"))
        writer.array("blocks") { writer in
            for text in [headline, text] {
                writer.object { writer in
                    writer.field("type", "section")
                    writer.object("text") { plain(text, &$0) }
                }
            }
            writer.object { writer in
                writer.field("type", "actions")
                writer.array("elements") { writer in
                    writer.object { writer in
                        writer.field("type", "button")
                        writer.object("text") { plain("Open", &$0) }
                        writer.field("url", link)
                    }
                }
            }
        }
    }

    /// https://learn.microsoft.com/en-us/connectors/teams/#microsoft-teams-webhook. A `RichTextBlock` reads no Markdown.
    private func teams(_ writer: inout JSONWriter) {
        func paragraph(_ text: String, isTitle: Bool = false, _ writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("type", "RichTextBlock")
                writer.array("inlines") { writer in
                    writer.object { writer in
                        writer.field("type", "TextRun")
                        writer.field("text", text)
                        if isTitle { writer.field("weight", "Bolder") }
                    }
                }
            }
        }
        writer.field("type", "message")
        writer.array("attachments") { writer in
            writer.object { writer in
                writer.field("contentType", "application/vnd.microsoft.card.adaptive")
                writer.object("content") { writer in
                    writer.field("$schema", "http://adaptivecards.io/schemas/adaptive-card.json")
                    writer.field("type", "AdaptiveCard")
                    writer.field("version", "1.4")
                    writer.array("body") { writer in
                        paragraph(headline, isTitle: true, &writer)
                        for line in text.split(separator: "\n") { paragraph(String(line), &writer) }
                    }
                    writer.array("actions") { writer in
                        writer.object { writer in
                            writer.field("type", "Action.OpenUrl")
                            writer.field("title", "Open")
                            writer.field("url", link)
                        }
                    }
                }
            }
        }
    }

    /// https://discord.com/developers/docs/resources/webhook#execute-webhook
    private func discord(_ writer: inout JSONWriter) {
        writer.array("embeds") { writer in
            writer.object { writer in
                writer.field("title", headline.markdownEscaped.firstBytes(256))
                writer.field("description", text.markdownEscaped)
                writer.field("url", link)
            }
        }
        writer.object("allowed_mentions") { $0.array("parse") { _ in } }
    }

    /// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    private func webhook(_ writer: inout JSONWriter) {
        writer.field("type", events.first?.kind.rawValue ?? "test")
        writer.time("timestamp", events.first?.at ?? time)
        writer.array("events") { writer in
            for event in events { writer.object { $0.fields(of: event, address: address) } }
        }
    }
}

/// A request that sends a message.
struct ChannelRequest: Sendable {
    let url: String
    let fields: [HTTPField]
    let body: [UInt8]
    /// The sender and the recipients, if the body is a mail.
    var mail: (from: String, to: [String])?
    /// User name and password for a mail server, separated by a colon.
    var login: String?
}

extension Event {
    /// The kind of the event and what it is about, such as “Regressed: shop 2.1”.
    fileprivate var headline: String {
        guard let app else { return kind.displayName }
        let environment = app.environment == AppKey.production ? "" : " (\(app.environment))"
        return "\(kind.displayName): \(app.name) \(version ?? "")\(environment)".plainLine.firstBytes(200)
    }

    fileprivate var plainText: String { text.plainLine }
}

extension String {
    /// The text in one line, without control characters and without characters that change the direction of the text after it.
    var plainLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.lazy.filter { scalar in
                    scalar.properties.generalCategory != .format
                }.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }

    /// The text as words of RFC 2047, each for at most 45 bytes, so that no word is longer than 75 characters.
    fileprivate var encodedWords: String {
        var words: [[UInt8]] = [[]]
        for scalar in unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 45 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Base64.encoded($0))?=" }.joined(separator: "\r\n ")
    }

    /// The text with a backslash before each character that Markdown reads, and without mentions.
    fileprivate var markdownEscaped: String {
        var result = ""
        for character in unicodeScalars {
            if "\\`*_{}[]()<>#+-!|~:".unicodeScalars.contains(character) { result.append("\\") }
            result.unicodeScalars.append(character)
            // A zero-width space, because `\@all` would still be a mention.
            if character == "@" { result.append("\u{200B}") }
        }
        return result
    }

    /// The text without the characters after a number of UTF-8 bytes.
    fileprivate func firstBytes(_ limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit - 3)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return "\(self[..<end])…"
    }
}
