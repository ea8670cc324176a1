internal import LeakHTTPServer
internal import LeakPlatform
internal import LeakStore

/// The newest events as an Atom feed. https://www.rfc-editor.org/rfc/rfc4287
struct EventsFeed: TextResource {
    static let permission = Permission.read
    static let textPath = "/events.atom"
    static let textParameters = EventFilter.parameters
    static let mediaType = "application/atom+xml; charset=utf-8"

    /// The number of events in the feed. A program that must not miss any polls the JSON.
    static let eventCount = 100

    let filter: EventFilter

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        filter = try EventFilter(request)
    }

    func text(from view: StoreView) throws -> String {
        let events = try view.reader.events(
            EventQuery(.before(.max), filter: filter, limit: Self.eventCount))
        return String(decoding: Self.feed(events, filter, address: view.address).bytes, as: UTF8.self)
    }

    /// Returns the feed. It does not depend on the clock, so an unchanged feed has the same ETag.
    ///
    /// - Parameters:
    ///   - events: newest first.
    ///   - address: the address of this collector.
    static func feed(_ events: [Event], _ filter: EventFilter, address: String) -> HTML {
        let page = address + Links.served.to(.events(filter))
        // A feed needs a time of its last change, even without entries. RFC 4287 §4.1.1
        let updated = CivilTime(milliseconds: events.first?.at ?? 0).rfc3339
        return #"""
            <?xml version="1.0" encoding="utf-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom">
            <id>\#(page)</id>
            <title>Leak Collector: events</title>
            <updated>\#(updated)</updated>
            <author><name>Leak Collector</name></author>
            <link rel="alternate" type="text/html" href="\#(page)"/>
            \#(events.map { entry($0, address: address) })</feed>

            """#
    }

    private static func entry(_ event: Event, address: String) -> HTML {
        let time = CivilTime(milliseconds: event.at).rfc3339
        let text = xmlText(event.text)
        let title = event.app.map { "\(xmlText($0.description)): \(text)" } ?? text
        return #"""
            <entry>
            <id>\#(address)/events#\#(event.id)</id>
            <title>\#(title)</title>
            <updated>\#(time)</updated>
            <link rel="alternate" type="text/html" href="\#(event.pageAddress(address))"/>
            <category term="\#(event.kind.rawValue)"/>
            <content type="text">\#(text)</content>
            </entry>

            """#
    }

    /// Returns the text with U+FFFD in place of code points that HTML allows and XML does not.
    /// https://www.w3.org/TR/xml/#charsets
    private static func xmlText(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { ["\u{FFFE}", "\u{FFFF}"].contains($0) ? "\u{FFFD}" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
