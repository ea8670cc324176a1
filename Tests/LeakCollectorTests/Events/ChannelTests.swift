import Testing

@testable import LeakCollector
@testable import LeakStore

/// Addresses of notification channels.
@Suite struct ChannelTests {
    @Test(arguments: [
        (
            "https://hooks.slack.com/services/T0/B0/x", Channel.Format.slack,
            "https://hooks.slack.com/services/T0/B0/x"
        ),
        (
            "https://prod-1.westeurope.logic.azure.com:443/workflows/1?sig=a%2Bb", .teams,
            "https://prod-1.westeurope.logic.azure.com:443/workflows/1?sig=a%2Bb"
        ),
        (
            "https://e0.10.environment.api.powerplatform.com/powerautomate?sig=x", .teams,
            "https://e0.10.environment.api.powerplatform.com/powerautomate?sig=x"
        ),
        ("https://discord.com/api/webhooks/1/x", .discord, "https://discord.com/api/webhooks/1/x?wait=true"),
        (
            "https://discord.com/api/webhooks/1/x?thread_id=7&wait=false", .discord,
            "https://discord.com/api/webhooks/1/x?thread_id=7&wait=true"
        ),
        (
            "https://chat.example.com/hooks/abcdefghijklmnopqrstuvwx12", .mattermost,
            "https://chat.example.com/hooks/abcdefghijklmnopqrstuvwx12"
        ),
        (
            "https://api.telegram.org/bot1:x?chat_id=-5", .telegram,
            "https://api.telegram.org/bot1:x/sendMessage"
        ),
        (
            "https://api.telegram.org/bot1:x/sendMessage?a=1&chat_id=%40leaks", .telegram,
            "https://api.telegram.org/bot1:x/sendMessage?a=1"
        ),
        ("https://ntfy.sh/leaks", .ntfy, "https://ntfy.sh/"),
        ("https://u:p%23@push.example.com/base/leaks#format=ntfy", .ntfy, "https://push.example.com/base/"),
        ("http://ci.example.com:8080", .json, "http://ci.example.com:8080/"),
        ("HTTPS://CI.example.com/Hook?A=B", .json, "https://ci.example.com/Hook?A=B"),
        (
            "smtps://u:p@mail.example.com:465/?from=a@b.example&to=c@d.example", .mail,
            "smtps://mail.example.com:465"
        ),
        ("https://[2001:db8::1]:9/x", .json, "https://[2001:db8::1]:9/x"),
    ])
    func `the service of an address is recognized`(
        text: String, format: Channel.Format, url: String
    ) throws {
        let channel = try Channel(text)
        #expect(channel.format == format)
        #expect(channel.url == url)
    }

    @Test func `recipients, logins and signing keys are read`() throws {
        #expect(try Channel("https://api.telegram.org/bot1:x?chat_id=%40leaks").recipient == "@leaks")
        let ntfy = try Channel("https://:tk_1@push.example.com/le%20aks#format=ntfy")
        #expect(ntfy.recipient == "le aks" && ntfy.login == ":tk_1")
        #expect(ntfy.name == "ntfy (push.example.com)")
        let mail = try Channel(
            "smtp://ann%40b.example:p%3Ax@m.example?from=a@b.example&to=c@d.example,e@f.example")
        #expect(mail.login == "ann@b.example:p:x" && mail.mail?.from == "a@b.example")
        #expect(mail.mail?.to == ["c@d.example", "e@f.example"] && mail.name == "E-mail (m.example)")
        let key = try Channel("https://example.com#secret=whsec_MDEyMzQ1Njc4OWFiY2RlZg==").signingKey
        #expect(key == Array("0123456789abcdef".utf8))
        #expect(try Channel("https://example.com/a").key != Channel("https://example.com/b").key)
    }

    @Test(arguments: [
        ("ftp://example.com", "must begin with https://, http://, smtps:// or smtp://"),
        ("smtps://mail.example.com?to=a@b.example", "needs a sender"),
        ("smtps://mail.example.com?from=a@b.example&to=a,b@c.example", "1 to 20 recipients"),
        ("smtps://mail.example.com?from=a@b.example&to=a%0D%0A@c.example", "1 to 20 recipients"),
        ("https://", "has no host"),
        ("https://:80/x", "has no host"),
        ("https://exa\"mple.com/x", "has no host"),
        ("https://exämple.com/x", "visible ASCII"),
        ("https://example.com/x#kind=slack", "one of app, environment, format, hourly, kinds, secret"),
        ("https://example.com/x#app=a&app=b", "comes twice"),
        ("https://example.com/x#app=", "has no value"),
        ("https://example.com/x#format=irc", "slack, teams"),
        ("https://example.com/x#kinds=new", "new_leak,regressed"),
        ("https://example.com/x#hourly=0", "1 to 1000"),
        ("https://example.com/x#secret=short", "whsec_"),
        ("https://hooks.slack.com/x#secret=whsec_MDEyMzQ1Njc4OWFiY2RlZg==", "for a webhook in JSON"),
        ("https://api.telegram.org/bot1:x", "chat_id=NUMBER"),
        ("https://api.telegram.org/x", "token of the bot"),
        ("https://ntfy.sh/", "https://ntfy.sh/TOPIC"),
    ])
    func `the error of a wrong address says what is wrong, and not the address`(
        text: String, problem: String
    ) throws {
        let error = try #require(throws: ChannelError.self) { try Channel(text) }
        #expect(error.description.contains(problem), "\(error)")
        #expect(!error.description.contains("example.com"))
    }

    @Test func `a channel gets events of production and of the collector, unless its options say otherwise`()
        throws
    {
        func event(_ kind: Event.Kind, _ app: AppKey?) -> Event {
            Event(at: 0, kind: kind, app: app, key: "", title: "", text: "")
        }
        let events = [
            event(.newLeak, AppKey("shop")), event(.worse, AppKey("shop", environment: "debug")),
            event(.fixed, AppKey("news")), event(.diskLow, nil),
        ]
        func sent(_ options: String) throws -> [Event.Kind] {
            events.filter(try Channel("https://example.com/#\(options)").matches).map(\.kind)
        }
        #expect(try sent("") == [.newLeak, .fixed, .diskLow])
        #expect(try sent("environment=all") == [.newLeak, .worse, .fixed, .diskLow])
        #expect(try sent("environment=Debug") == [.worse, .diskLow])
        #expect(try sent("app=shop") == [.newLeak])
        #expect(try sent("kinds=fixed,disk_low") == [.fixed, .diskLow])
    }

    @Test func `a setting with several addresses names the wrong one by its number`() throws {
        func settings(_ value: String) throws -> Settings {
            try Settings(flags: [:], environment: ["COLLECTOR_NOTIFY": value])
        }
        #expect(try settings("https://a.example/\n https://b.example/ ").channels.count == 2)
        let error = try #require(throws: SettingError.self) {
            try settings("https://a.example/ https://b.example/#x=secret")
        }
        #expect("\(error)".contains("the address number 2 has an option"))
        #expect(throws: SettingError.self) { try settings("https://a.example/ https://a.example/") }
        let many = (0...20).map { "https://a.example/\($0)" }.joined(separator: " ")
        #expect(throws: SettingError.self) { try settings(many) }
    }

    @Test(arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar"])
    func `base64 is that of RFC 4648, and reads what it writes`(text: String) throws {
        let vectors = [
            "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
        ]
        let encoded = Base64.encoded(Array(text.utf8))
        #expect(encoded == vectors[text.utf8.count])
        if !text.isEmpty {
            #expect(Base64.decoded(encoded) == Array(text.utf8))
            #expect(Base64.decoded(encoded.replacing("=", with: "")) == Array(text.utf8))
        }
        for wrong in ["Z", "Zg=", "Zh==", "Z g=", "Zg==Zg==", "Zm9v=", "===="] {
            #expect(Base64.decoded(wrong) == nil, "\(wrong)")
        }
    }

    /// https://www.rfc-editor.org/rfc/rfc4231#section-4.2
    @Test func `the authentication code is that of RFC 4231`() {
        let code = SHA256Hash.authenticationCode(
            of: Array("Hi There".utf8), key: Array(repeating: 0x0B, count: 20))
        #expect(code.prefix(4) == [0xB0, 0x34, 0x4C, 0x61] && code.suffix(4) == [0x2E, 0x32, 0xCF, 0xF7])
    }
}
