/// Texts that break a page which does not escape them.
enum Hostile: String, CaseIterable, CustomStringConvertible, Sendable {
    case script, attribute, image, comment, ends, bidirectional, rightToLeft, unbroken, emoji, stacked,
        address

    var description: String { rawValue }

    /// The text, at most 512 bytes, which is the limit of a class name.
    var text: String {
        switch self {
        case .script: "<script>alert(1)</script>"
        case .attribute: "\"onload=\"alert(1)\" autofocus onfocus='alert(1)' x=\""
        case .image: "'\"><img src=/x onerror=alert(1)><svg onload=alert(1)>"
        case .comment: "]]>--><!--<![CDATA["
        case .ends: "</title></style></textarea></svg></table></main><script>alert(1)</script>"
        case .bidirectional: "\u{202E}rellortnoC\u{2066}\u{2067}\u{202B}gpj.\u{200F}exe"
        case .rightToLeft: "وحدة.تحكم.الدفع.מסך.תשלום"
        case .unbroken: String(repeating: "W", count: 512)
        case .emoji: String(repeating: "👩‍👩‍👧‍👦🏳️‍🌈", count: 10)
        case .stacked: String(repeating: "Z\u{0338}\u{0321}\u{0321}\u{0361}\u{0300}\u{0301}", count: 20)
        case .address: "javascript:alert(1)//%0Aalert(1)"
        }
    }

    /// The text as a page shows it: marks that would reverse the direction of the following text become U+FFFD.
    var displayedText: String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { mark in
                    switch mark.value {
                    case 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
                    default: mark
                    }
                }))
    }

    /// Returns the text truncated to `bytes` bytes, the limit of the wire format.
    func text(atMost bytes: Int) -> String {
        var cut = text
        while cut.utf8.count > bytes { cut.unicodeScalars.removeLast() }
        return cut
    }

    /// A report with the text in every field that accepts a text.
    var report: JSON {
        let (long, short) = (JSON(text), JSON(text(atMost: 64)))
        // Only messages may contain control characters: a name with a control character is rejected.
        let message = JSON("\u{0}\u{7}\u{1B}[31m\u{7F}\u{85}\n" + text)
        return [
            "kind": "object", "class": long, "stack": [long, "UIWindow", long],
            "children": [long],
            "cycle": [long, "closure", long],
            "why": [
                "confidence": "proven", "is_cycle": true, "target": long,
                "path": [["owner": long, "field": long, "kind": "property", "closure": true]],
                "closures": [long], "global": long, "bytes": 1_099_511_627_776, "objects": 1_000_000_000,
            ],
            "reason": JSON(text(atMost: 128)), "message": message,
            "error": [
                "domain": JSON(text(atMost: 256)), "code": 1, "userInfo": ["NSLocalizedDescription": message],
            ],
            "keys": [text(atMost: 64): message], "log": [long, long],
            "app": [
                "id": JSON(text(atMost: 256)), "module": JSON(text(atMost: 256)), "version": short,
                "build": short,
            ],
            "device": ["os": short, "os_version": short, "model": short], "install": "i1",
        ]
    }

    /// Returns a site with a report for each of these texts.
    static func site() async throws -> Site {
        try await Site(
            [Batch.reports(allCases.map(\.report))]
                + allCases.map {
                    Batch.sessions(
                        app: $0.text(atMost: 256), version: $0.text(atMost: 64), sessions: 3, leaky: 1)
                })
    }
}
