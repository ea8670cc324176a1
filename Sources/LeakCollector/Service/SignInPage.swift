import LeakStore

/// The sign-in page, for a sign-in link that the collector printed or for an access token.
struct SignInPage: Component {
    /// The reason for the notice above the form.
    enum Notice: Hashable, Sendable {
        /// The token is unknown, was revoked or has expired.
        case wrongToken
        /// The token is valid, but its role reads no pages.
        case tokenWithoutPages(Credential.Role?)
        /// The link was used before or is older than ten minutes.
        case usedLink
        /// Too many tokens from this address were wrong.
        case tooManyAttempts
        /// The person signed out, or the session had already ended.
        case signedOut
    }

    var context: PageContext
    var notice: Notice?
    /// The code of a valid sign-in link, which the page's button uses up; `nil` shows the form for a token.
    var code: String?
    /// Path of this collector to open after signing in, sent as `to`.
    var destination: String?

    var html: HTML {
        guard let code else { return tokenForm }
        return PageLayout(
            title: "Sign in", section: nil, context: context, hasNavigation: false,
            main: #"""
                <div class="narrow"><h1>Sign in</h1>
                <form class="card stack" method="post" action="\#(context.links.to(.signIn))">
                <p>This link works once. You stay signed in for 30 days in this browser.</p>
                <input type="hidden" name="code" value="\#(code)">\#(destinationField)\#
                <button class="main">Sign in</button></form></div>
                """#
        ).html
    }

    private var tokenForm: HTML {
        PageLayout(
            title: "Sign in", section: nil, context: context, hasNavigation: false,
            main: #"""
                <div class="narrow"><h1>Sign in</h1>\#(message)
                <p>The collector prints a sign-in link each time it starts. The link works once, for ten minutes. Find it in \#
                the output of the collector; restart the collector to print a new one.</p>
                <form class="card stack" method="post" action="\#(context.links.to(.signIn))">
                <label for="token">Or paste an access token</label>
                <input id="token" type="password" name="token" required \#
                autocomplete="current-password" spellcheck="false"\#(invalidAttribute)>
                \#(destinationField)<button class="main">Sign in</button></form></div>
                """#
        ).html
    }

    private var destinationField: HTML? {
        destination.map { #"<input type="hidden" name="to" value="\#($0)">"# }
    }

    private var invalidAttribute: HTML {
        switch notice {
        case .wrongToken, .tokenWithoutPages: #" aria-invalid="true" aria-describedby="problem""#
        case .usedLink, .tooManyAttempts, .signedOut, nil: ""
        }
    }

    private var message: HTML? {
        switch notice {
        case nil: nil
        case .wrongToken:
            #"""
            <p class="alert" id="problem" role="alert">Invalid or revoked token. \#
            Check that you copied all of it.</p>
            """#
        case .tokenWithoutPages(let role):
            #"""
            <p class="alert" id="problem" role="alert">This token cannot read pages: \#
            \#(role.map { "a token of the role \($0.rawValue) \($0.summary)" } ?? "its role is unknown to this collector"). \#
            Sign in with a token of the role viewer, triager or admin.</p>
            """#
        case .usedLink:
            #"<p class="alert" role="alert">This sign-in link was used before or has expired. Use a token or a new link.</p>"#
        case .tooManyAttempts:
            #"""
            <p class="alert" role="alert">Too many wrong tokens were sent from your address. Wait a minute, \#
            or use a sign-in link.</p>
            """#
        case .signedOut: #"<p class="notice" role="status">You are signed out.</p>"#
        }
    }
}
