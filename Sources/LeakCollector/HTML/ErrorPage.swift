import LeakStore

/// Page that says what went wrong, and what to do about it.
struct ErrorPage: Component {
    /// Link back to the page of a rejected form. If there is one, the error page says that the form was rejected.
    struct PageLink: Hashable, Sendable {
        var target: LinkTarget
        var text: String
    }

    var context: PageContext
    /// An HTTP status from 400 on.
    var status: Int
    /// One sentence for this case, which replaces the general sentence.
    var detail: String?
    /// Text from a rejected form. The page shows it so that the visitor can copy it.
    var typedText: String?
    /// Target of the button; `nil` links to the summary.
    var back: PageLink?
    /// False if the visitor has not signed in.
    var hasNavigation = true
    /// True for a page that names its request, in the element that ``requestIDPosition(in:)`` finds.
    var namesRequest = false

    var html: HTML {
        let message =
            back == nil || status >= 500 ? Self.message(forStatus: status) : Self.rejectedFormMessage
        let back = back ?? PageLink(target: .summary(app: nil), text: "Go to the list of leaks")
        return PageLayout(
            title: message.title, section: nil, context: context, hasNavigation: hasNavigation,
            main: #"""
                <div class="narrow"><p class="crumb">\#(status)</p><h1>\#(message.title)</h1>
                <p dir="auto">\#(detail ?? message.advice)</p>\#(typedTextArea)
                <p><a class="button" href="\#(context.links.to(back.target))">\#(back.text)</a></p>\#(requestNote)</div>
                """#
        ).html
    }

    private static let requestStart = #"<code id="request">"#

    private var requestNote: HTML? {
        namesRequest ? #"<p><small>Request <code id="request"></code></small></p>"# : nil
    }

    /// Returns the index of the byte before which the server inserts the identifier of the request.
    static func requestIDPosition(in page: [UInt8]) -> Int? {
        let start = Array(requestStart.utf8)
        // Texts from outside contain no `<`, so the first match is the element.
        return page.indices.first { page[$0] == start[0] && page[$0...].starts(with: start) }.map {
            $0 + start.count
        }
    }

    private var typedTextArea: HTML? {
        guard let typedText, !typedText.isEmpty else { return nil }
        // The first line end of a text area is not part of its text.
        return #"""

            <p><label for="written">Your text, so that you can copy it</label></p>
            <p><textarea id="written" rows="8" dir="auto" readonly>
            \#(typedText)</textarea></p>
            """#
    }

    private static let rejectedFormMessage = (
        title: "Could not save", advice: "The form was rejected. Go back and send it again."
    )

    static func message(forStatus status: Int) -> (title: String, advice: String) {
        switch status {
        case 400:
            ("Bad request", "Check the URL: a part of it is wrong or missing.")
        case 401:
            (
                "Sign in first",
                "Open the sign-in link that the collector printed at its start, or sign in with an access token."
            )
        case 403:
            ("Not allowed", "Your session or token does not allow this. Sign in again with another token.")
        case 404:
            ("Not found", "There is no such page or leak. Check the URL, or start from the list of leaks.")
        case 405:
            (
                "Not allowed",
                "This address does not accept this kind of request. Start from the list of leaks."
            )
        case 429: ("Too many requests", "Wait a minute, then load the page again.")
        case 503:
            (
                "Temporarily unavailable",
                "The collector cannot read its data now. Reload the page in a minute."
            )
        case 500...:
            (
                "Server error",
                "Reload the page. If the error occurs again, see the collector's log."
            )
        default:
            ("Request rejected", "The collector rejected the request. Start again from the list of leaks.")
        }
    }
}
