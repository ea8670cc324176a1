import LeakSeededRandom
import Testing

@testable import LeakGrammar
@testable import LeakMessage

@Suite struct SensitiveKeyTests {
    /// Returns the message as a device sends it.
    private func sent(_ message: String) -> String {
        var report = LeakReport()
        report.message = message
        let sent = report.redactedForSending()
        #expect(sent.redactedForSending() == sent, "\(message)")
        #expect(sent.redacted() == sent, "the collector changes it again: \(message)")
        return sent.message ?? ""
    }

    @Test(arguments: [
        ("x-api-key: SECRET", "x-api-key: …"), ("X_API_KEY=SECRET", "X_API_KEY=…"),
        ("xApiKey = SECRET", "xApiKey = …"),
        ("api-key: SECRET", "api-key: …"), ("client_secret=SECRET", "client_secret=…"),
        ("idToken: SECRET", "idToken: …"),
        ("id_token=SECRET", "id_token=…"), ("refresh-token=SECRET", "refresh-token=…"),
        ("ACCESSTOKEN=SECRET", "ACCESSTOKEN=…"),
        ("csrfToken: SECRET", "csrfToken: …"), ("private_key=SECRET", "private_key=…"),
        ("pwd=SECRET", "pwd=…"),
        ("db_pwd: SECRET", "db_pwd: …"), ("userPassword=SECRET", "userPassword=…"),
        ("passphrase: SECRET", "passphrase: …"),
        ("sessionid=SECRET", "sessionid=…"), ("session_id: SECRET", "session_id: …"),
        ("SessionID=SECRET", "SessionID=…"),
        ("AWS_SECRET_ACCESS_KEY=SECRET", "AWS_SECRET_ACCESS_KEY=…"),
        ("credentials: SECRET", "credentials: …"),
        ("otp=SECRET", "otp=…"), ("pin=SECRET", "pin=…"), ("jwt: SECRET", "jwt: …"),
        ("iban: SECRET", "iban: …"),
        ("firstName=SECRET", "firstName=…"), ("first_name: SECRET", "first_name: …"),
        ("e-mail: SECRET", "e-mail: …"),
        ("emailAddress: SECRET", "emailAddress: …"), ("phone2: SECRET", "phone2: …"),
        ("address=SECRET street", "address=…"),
        ("searchText = SECRET", "searchText = …"),
        ("detailTextLabel.text = SECRET", "detailTextLabel.text = …"),
        ("query=SECRET", "query=…"), ("string=SECRET", "string=…"), ("content = SECRET; x", "content = …; x"),
        ("_text = SECRET", "_text = …"), ("self._password = SECRET", "self._password = …"),
        ("ｔｅｘｔ=SECRET", "ｔｅｘｔ=…"),
        ("Set-Cookie: sid=SECRET; a=SECRET\nnext", "Set-Cookie: …\nnext"),
        ("cookie: a=SECRET; b=SECRET", "cookie: …"),
        ("Proxy-Authorization: Basic SECRET", "Proxy-Authorization: …"),
        ("sent Bearer SECRETtoken.a-b/c== to x", "sent Bearer … to x"), ("bearer SECRET1", "bearer …"),
        ("BEARER SECRET1", "BEARER …"), ("sent bEARER SECRETtoken.a/b== to x", "sent bEARER … to x"),
        ("deviceToken=<740f4707 bebcf74f>", "deviceToken=…"), ("password=<SECRET>", "password=…"),
        ("password = <SECRET>; x", "password = …; x"), ("password: <SECRET> more", "password: …"),
        ("\"password\": [SECRET]", "\"…\": …"), ("\"password\": { SECRET }", "\"…\": …"),
        ("\"password\": <SECRET>", "\"…\": …"),
    ])
    func `the value of a sensitive key is masked, however the key is spelled`(text: String, expected: String)
    {
        #expect(sent("Cart leaked " + text) == "Cart leaked " + expected)
    }

    @Test(arguments: [
        ("text =\nSECRET", "text =\n…"), ("text =\r\n\r\n  SECRET", "text =\n\n  …"),
        ("text:\nSECRET", "text:\n…"),
        ("text\n= SECRET", "text\n= …"), ("text\u{A0}=\u{A0}SECRET", "text\u{A0}=\u{A0}…"),
        ("text\u{3000}:\u{2003}SECRET", "text\u{3000}:\u{2003}…"), ("text＝SECRET", "text＝…"),
        ("text： SECRET", "text： …"),
        ("text﹕SECRET", "text﹕…"), ("text\t=\tSECRET", "text = …"), ("text == SECRET", "text == …"),
        ("text => SECRET", "text => …"), ("text=>SECRET", "text=>…"), ("text := SECRET", "text :…"),
        ("[text] = SECRET", "[text] = …"), ("\"text\": SECRET", "\"…\": …"),
        ("\"text\" = SECRET\nnext", "\"…\" = …\nnext"),
        ("[\"text\"] = SECRET", "[\"…\"] = …"), ("'password': SECRET", "'…': …"),
        ("\\\"text\\\": SECRET", "\\\"…\": …"),
        ("“text”: SECRET", "\"…\": …"), ("&quot;text&quot;: SECRET", "\"…\": …"),
        ("\"text\"\u{A0}＝ SECRET", "\"…\"\u{A0}＝ …"),
        ("text = nil SECRET", "text = …"), ("text = nilSECRET", "text = …"),
    ])
    func `the value of a sensitive key is masked after every separator`(text: String, expected: String) {
        #expect(sent("Cart leaked " + text) == "Cart leaked " + expected)
    }

    @Test func `numbers in JSON that may be secrets are masked, and the text stays JSON`() {
        let text =
            #"{"class":"Shop.CartModel","otp":123456,"phone":49171987654,"hasToken":true,"token":null,"n":12345678}"#
        #expect(
            sent(text)
                == #"{"class":"Shop.CartModel","otp":0,"phone":0,"hasToken":true,"token":null,"n":10000000}"#)
    }

    @Test(arguments: [
        "VIEW STILL IN MEMORY <Shop.AccessToken: 0x7f88acc69260>", "<Token: 0x7f88acc69260> has leaked",
        "<Shop.RichText: 56144> leaked", "Shop.Password: 0x1f leaked", "AccessToken: still in memory",
        "Session.login(password:token:user:) + 88", "-[Session loginWithPassword:user:] leaked",
        "-[UILabel setText:] leaked",
        "LEAK: shop::Token::refresh() in Shop", "AccessToken: 3 instances", "context = 3", "plaintext: on",
        "className = Shop.Cart, typeName = Shop.Cart",
        "object-alive, type-name=GstMessage, address=(gpointer)0x7f36cc01d3c0",
        "bearer token leaked", "Bearer realm=x", "message: it stays, actions: too", "text = nil; x",
        "text = (null)",
        "name: Cart", "Root -> token -> Shop.Token", "server@9.5.0-SNAPSHOT/org.x.Cart leaked", "title:",
        "text = ",
    ])
    func `names of types and members, addresses and ordinary words are not masked`(text: String) {
        #expect(sent(text) == text.trimmingSuffix)
    }

    @Test(arguments: [
        (
            "Cart title: SECRET one\nmessage: SECRET two\nactions: SECRET three leaked",
            "Cart title: …\nmessage: …\nactions: …"
        ),
        (
            "closed an alert, title: \"SECRET\", message: SECRET, actions: SECRET",
            "closed an alert, title: \"…\", message: …"
        ),
        (
            "title = nil; message: SECRET; actions: SECRET\n\nmessage: stays",
            "title = nil; message: …; actions: …\n\nmessage: stays"
        ),
        (
            "<UIAlertController: 0x1f> message: SECRET\nactions = SECRET",
            "<UIAlertController: 0x1f> message: …\nactions = …"
        ),
        (
            "<UIAlertController: 0x1f; title = \"SECRET\"; message = SECRET; actions = SECRET>",
            "<UIAlertController: 0x1f; …>"
        ),
        (
            "<UIAlertController: 0x1f; title = SECRET, message = SECRET> leaked",
            "<UIAlertController: 0x1f; …>"
        ),
    ])
    func `message and actions of an alert are masked after its title`(text: String, expected: String) {
        #expect(sent(text) == expected)
    }

    @Test func `personal data in an error's domain and names, and values of sensitive keys, are not sent`() {
        var report = LeakReport()
        report.error = ReportedError(
            domain: "failed for SECRET@example.com", code: 7,
            userInfo: [
                CustomKey("NSLocalizedDescription", .string("token=SECRET failed")),
                CustomKey("password", .string("SECRET")), CustomKey("authToken", .string("SECRET")),
                CustomKey("Authorization", .string("Basic SECRET")),
                CustomKey("x-api-key", .string("SECRET")),
                CustomKey("email", .string("SECRET")), CustomKey("phone", .number(4_917_198_765)),
                CustomKey("user", .string("SECRET")),
                CustomKey("hasPassword", .boolean(true)), CustomKey("cart of SECRET@example.com", .number(3)),
                CustomKey("cart of SECRET2@example.com", .number(4)),
                CustomKey("cart 1234567", .number(5)), CustomKey("cart 7654321", .number(6)),
                CustomKey("header", .string("BEARER\tSECRET1")),
                CustomKey("className", .string("Shop.Cart")),
                CustomKey("retries", .number(3)), CustomKey("reason", .string("text =\u{A0}SECRET")),
            ])
        let sent = report.redactedForSending()
        #expect(
            sent.error
                == ReportedError(
                    domain: "failed for …@…", code: 7,
                    userInfo: [
                        CustomKey("NSLocalizedDescription", .string("token=…")),
                        CustomKey("password", .string("…")),
                        CustomKey("authToken", .string("…")), CustomKey("Authorization", .string("…")),
                        CustomKey("x-api-key", .string("…")), CustomKey("email", .string("…")),
                        CustomKey("phone", .string("…")),
                        CustomKey("user", .string("…")), CustomKey("hasPassword", .boolean(true)),
                        CustomKey("cart of …@…", .number(3)), CustomKey("cart 0000000", .number(5)),
                        CustomKey("header", .string("BEARER\t…")),
                        CustomKey("className", .string("Shop.Cart")),
                        CustomKey("retries", .number(3)), CustomKey("reason", .string("text =\u{A0}…")),
                    ]))
        #expect(sent.redactedForSending() == sent)
    }

    @Test(arguments: [
        "NSURLErrorDomain", "Shop.LoginError", "com.acme.token", "Shop.Result<Shop.Token>.Failure",
    ])
    func `an ordinary error domain is not masked`(domain: String) {
        var report = LeakReport()
        report.error = ReportedError(domain: domain, code: 1)
        #expect(report.redactedForSending() == report)
    }

    @Test(arguments: [
        ("Shop.Cart title: SECRET", "Shop.Cart title: …"), ("VC “SECRET and more”", "VC “…”"),
        ("VC „SECRET“", "VC „…“"),
        ("VC(title: SECRET)", "VC(title: …"), ("UILabel:SECRET@example.com", "UILabel:…@…"),
        ("Nav text＝SECRET", "Nav text＝…"),
        ("Nav “text”: SECRET", "Nav “…”: …"), ("Nav \"text\": SECRET", "Nav \"…\": …"),
        ("Login[password: SECRET]", "Login[password: …"),
        ("Nav jane%40example.com", "Nav …@…"), ("Cart /Users/jane/Shop", "Cart /Users/…/Shop"),
        ("Cart /home/jane/Shop", "Cart /home/…/Shop"),
        ("Cart C:\\Users\\jane\\Shop", "Cart C:\\Users\\…\\Shop"),
        ("Nav BEARER SECRET1", "Nav BEARER …"),
    ])
    func `text that a user typed is removed from class, stack, children and cycle`(
        name: String, expected: String
    ) {
        var report = LeakReport()
        report.className = name
        (report.stack, report.children, report.cycle) = (["Root", name], [name], [name, "B"])
        let sent = report.redactedForSending()
        #expect(sent.className == expected && sent.stack == ["Root", expected])
        #expect(sent.children == [expected] && sent.cycle == [expected, "B"])
        #expect(sent.redactedForSending() == sent)
    }

    @Test(arguments: [
        "“Shop.Cart”", "Shop.Token", "UIHostingController<Shop.TextView>", "Shop::Token::refresh()",
        "-[Login setPassword:]",
        "Login.check(password:token:)", "frame #0: 0x1f Shop`Login.check(password=3) at Login.swift:2",
        "Cart.text", "カート",
        "3   Shop   0x0000000102c4 Login.check(token:) + 88",
    ])
    func `names of types and functions are not masked as private texts`(name: String) {
        var report = LeakReport()
        report.className = name
        (report.stack, report.cycle) = ([name, "Root"], [name, "B"])
        #expect(report.redactedForSending() == report)
    }

    @Test func `personal data is masked in names of custom keys, and their values stay`() {
        var report = LeakReport()
        report.className = "Shop.Cart"
        report.keys = [
            CustomKey("cart of SECRET@example.com", .string("full")),
            CustomKey("cart of SECRET2@example.com", .string("empty")),
            CustomKey("<UILabel: 0x1f; text = 'SECRET'>", .boolean(true)),
            CustomKey("text = SECRET", .number(1)),
            CustomKey("cart 1234567", .number(2)), CustomKey("cart 7654321", .number(3)),
            CustomKey("screen", .string("Cart")), CustomKey("first-launch", .boolean(true)),
        ]
        let sent = report.redactedForSending()
        #expect(
            sent.keys == [
                CustomKey("cart of …@…", .string("full")), CustomKey("<UILabel: 0x1f; …>", .boolean(true)),
                CustomKey("text = …", .number(1)), CustomKey("cart 0000000", .number(2)),
                CustomKey("screen", .string("Cart")),
                CustomKey("first-launch", .boolean(true)),
            ])
        #expect(sent.redactedForSending() == sent)
        #expect(
            report.redacted().keys[2].name == "<UILabel: 0x1f; …>",
            "the collector keeps no descriptions either")
    }

    /// Each of these texts grows when it is masked, and is truncated when it is sent.
    @Test(arguments: [
        "https://u@", "-> https://u@", "\ntitle: -> ", "a@a@\ntitle: a@-> ", "@@https://u@",
        "https://u@1 2 3 ",
        "\u{301}https://u@", "<https://u@Retain cycles: {(", "text=a;", "$s4mainhttps://u@",
    ])
    func `masking the longest texts a second time changes nothing`(part: String) {
        for excess in [0, 1, 2, 5, 8] {
            var text = String(repeating: "x", count: excess)
            while text.utf8.count < WireLimits.messageBytes { text += part }
            let sent = sent(text)
            #expect(sent.utf8.count <= WireLimits.messageBytes)
        }
        let name = String(repeating: part, count: 512 / part.utf8.count)
        var report = LeakReport()
        report.className = name
        report.keys = [CustomKey(String(name.prefix(60)), .boolean(true))]
        report.error = ReportedError(domain: name, code: 1, userInfo: [CustomKey("a", .string(name))])
        let once = report.redactedForSending()
        #expect(once.redactedForSending() == once)
    }

    /// A text that is 16 times as long takes about 16 times as long, and not 256 times.
    @Test(arguments: ["text:", "text:a:", "text:text ", "title:\n", "text：", "password=<", "\"text\":["])
    func `texts that consist only of sensitive keys are masked in linear time`(part: String) {
        func seconds(_ count: Int) -> Double {
            let text = Text(String(repeating: part, count: count) + ")")
            let before = threadSeconds()
            _ = PersonalDataMasker.masked(text)
            return threadSeconds() - before
        }
        let small = seconds(8_000)
        #expect(seconds(128_000) < 64 * max(small, 0.002))
    }

    // MARK: Random forms

    private static func key(_ random: inout SeededRandom) -> String {
        let words = random.element(of: [
            ["password"], ["api", "key"], ["x", "api", "key"], ["client", "secret"], ["id", "token"],
            ["refresh", "token"], ["pwd"],
            ["private", "key"], ["session", "id"], ["cookie"], ["set", "cookie"], ["authorization"], ["text"],
            ["search", "text"],
            ["title"], ["placeholder"], ["e", "mail"], ["phone"], ["first", "name"], ["access", "token"],
            ["credentials"],
        ])
        let spelled =
            switch random.below(6) {
            case 0: words.joined(separator: "-")
            case 1: words.joined(separator: "_")
            case 2: words.joined(separator: "_").uppercased()
            case 3 where words != ["search", "text"]: words.joined()
            case 4: words[0] + words.dropFirst().map(\.capitalized).joined()
            default: words.map(\.capitalized).joined(separator: "-")
            }
        return random.element(of: ["", "", "_", "self.", "user", "user."]).appending(key: spelled)
    }

    /// Returns a separator that follows keys in texts of Swift, JSON, headers and properties.
    private static func separator(_ random: inout SeededRandom) -> String {
        let blanks = ["", " ", "  ", "\t", "\u{A0}", "\u{2009}", "\u{3000}", "\u{200B}"]
        let isAssignment = random.below(2) == 0
        let sign = random.element(of: isAssignment ? ["=", "＝", "==", "=>", "﹦"] : [":", "：", "﹕"])
        let line = random.below(5) == 0 ? "\n" : ""
        return random.element(of: blanks) + sign + random.element(of: blanks) + line
            + random.element(of: blanks)
    }

    /// Returns a value without the characters that end a value: `;`, `>` and line ends.
    private static func value(_ random: inout SeededRandom) -> String {
        let pieces = [
            " ", "-", ".", ",", "'", "\"", "`", "“", "”", "é", "@", "(", ")", "[", "]", ": ", "=", " 0x1f ",
            "\u{A0}", "/", "?a=",
            "://", "1234567", "{", "}", "<", "\u{2028}", "&quot;",
        ]
        var text = random.element(of: ["", "", "", "<", "[", "(", "{"]) + "Jane"
        for _ in 0..<random.below(4) { text += random.element(of: pieces) + "Jane" }
        // `<Jane: 0x1f` would be an object.
        return text.hasPrefix("<") ? text.replacing(":", with: ".").replacing("0x", with: "") : text
    }

    private static func form(_ random: inout SeededRandom) -> String {
        let (key, separator, value) = (key(&random), separator(&random), value(&random))
        let start = random.element(of: ["", "<", "[", "{", "("])
        switch random.below(8) {
        case 0: return "\"\(key)\"\(separator)\(start)Jane"
        case 1: return "[\(key)]\(separator)\(value)"
        case 2: return "“\(key)”\(separator)\(start)Jane"
        case 3: return "title: \"Jane\"\nmessage: \(value)\nactions: \(value)"
        case 4: return "Bearer Jane-token\(random.below(99))"
        default: return key + separator + value
        }
    }

    @Test(arguments: [17, 18, 19] as [UInt64])
    func `random values of sensitive keys are removed after every kind of separator`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let heads = [
            "", "Cart leaked ", "Something leaked: ", "<UITextField: 0x1f> ",
            "VIEW STILL IN MEMORY <Shop.Cart: 0x1f>\n",
            "Memory Leak: (\n    Root,\n    Cart\n)\n", "2017-11-14 11:58:37.373501+0800 app[1:2] ",
            "Expected deallocation of ",
            "GET https://example.com/a ",
        ]
        for _ in 0..<600 {
            let form = Self.form(&random)
            let text = random.element(of: heads) + form
            var report = LeakReport()
            switch random.below(5) {
            case 0:
                report.className = "Cart " + form
                report.stack = ["Root", "Cart " + form]
                report.children = ["Cart " + form]
                report.cycle = ["Cart " + form, "B"]
            case 1:
                report.className = "Cart"
                report.error = ReportedError(
                    domain: text, code: 1,
                    userInfo: [
                        CustomKey(ReportedError.descriptionKey, .string(text)),
                        CustomKey("why", .string(text)),
                        CustomKey(Self.key(&random), .string("Jane")), CustomKey(text, .number(1)),
                    ])
                report.keys = [CustomKey(text, .boolean(true))]
            default: report.message = text
            }
            let sent = report.redactedForSending()
            let json = String(decoding: sent.json(), as: UTF8.self)
            #expect(!json.contains("Jane"), "\(text.debugDescription)\n\(json)")
            #expect(sent.redactedForSending() == sent, "\(text.debugDescription)\n\(json)")
            #expect(
                sent.redacted(keepsUserInfo: true) == sent,
                "the collector changes it: \(text.debugDescription)\n\(json)")
        }
    }
}

extension String {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }

    /// The text without white space at its end.
    fileprivate var trimmingSuffix: String { String(reversed().drop { $0 == " " }.reversed()) }

    /// Appends a key to a word in front of it: in camel case, or with an underscore if the key cannot be capitalized.
    fileprivate func appending(key: String) -> String {
        (last?.isLetter ?? false) && key.first?.isLowercase ?? false && !key.contains("_")
            && !key.contains("-")
            ? self + key.capitalized : (last?.isLetter ?? false) ? self + "_" + key : self + key
    }
}
