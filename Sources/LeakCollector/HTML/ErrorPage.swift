/// Page that says what went wrong, and what to do about it.
struct ErrorPage: Component {
    /// Link back to a form that was rejected. The message of the page is then about the form.
    struct Way: Hashable, Sendable {
        var to: Place
        var text: String
    }

    var context: PageContext
    /// An HTTP status from 400 on.
    var status: Int
    /// One sentence for this case, in place of the general one.
    var detail: String?
    /// Text from a rejected form, which is shown again so that the visitor need not write it twice.
    var written: String?
    /// Target of the button; `nil` links to the summary.
    var back: Way?
    /// False if the visitor has not signed in.
    var hasNavigation = true

    var html: HTML {
        let words = back == nil || status >= 500 ? Self.words(status) : Self.refusedForm
        let back = back ?? Way(to: .summary(app: nil), text: "Go to the summary")
        return PageFrame(
            title: words.title, section: nil, context: context, hasNavigation: hasNavigation,
            main: #"""
                <div class="narrow"><p class="crumb">\#(status)</p><h1>\#(words.title)</h1>
                <p dir="auto">\#(detail ?? words.advice)</p>\#(givenBack)
                <p><a class="button" href="\#(context.links.to(back.to))">\#(back.text)</a></p></div>
                """#
        ).html
    }

    private var givenBack: HTML? {
        guard let written, !written.isEmpty else { return nil }
        // The first line end of a text area is not part of its text.
        return #"""

            <p><label for="written">What you wrote, to copy from</label></p>
            <p><textarea id="written" rows="8" dir="auto" readonly>
            \#(written)</textarea></p>
            """#
    }

    private static let refusedForm = (
        title: "Nothing was changed", advice: "The form was refused. Go back and send it again."
    )

    static func words(_ status: Int) -> (title: String, advice: String) {
        switch status {
        case 400:
            ("This address makes no sense", "A part of it is misspelt or cut off. Start from the summary.")
        case 401:
            (
                "Sign in first",
                "Open the sign-in link that the collector printed, or sign in with an access token."
            )
        case 403: ("Not allowed", "What you signed in with does not allow this.")
        case 404: ("Not found", "There is no such page, or this leak was never reported here.")
        case 405:
            ("Not possible here", "This address exists, but it takes no such request. Go back and try again.")
        case 429: ("Too many requests", "Wait a minute, then load the page again.")
        case 503:
            ("Busy", "The collector cannot read its data at the moment. Load the page again in a minute.")
        case 500...:
            (
                "Something broke",
                "The collector's log says what happened. Load the page again; if it stays, look there."
            )
        default: ("This did not work", "The request was refused. Start from the summary.")
        }
    }
}
