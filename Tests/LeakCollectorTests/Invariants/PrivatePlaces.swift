/// Places where detectors print text that users typed or read, and where senders may put such texts.
enum PrivatePlaces {
    /// Messages of detectors that contain one text of a user.
    static let messages: [@Sendable (String) -> String] = [
        {
            "VIEW STILL IN MEMORY <UILabel: 0x1f; frame = (0 0; 1 1); text = '\($0)'; layer = <_UILabelLayer: 0x2f>>"
        },
        {
            "VIEW STILL IN MEMORY <UITextField: 0x1f; text = ''; placeholder = \($0); layer = <CALayer: 0x2f>>"
        },
        { "VIEW STILL IN MEMORY <Shop.Field: 0x1f; baseClass = UITextField; accessibilityLabel = \($0)>" },
        { "LEAKED VIEW DEINNITED <UILabel: 0x1f; text = '\($0)'>\n\nDeinnited after 8.912s." },
        { "LEAKED VIEW DEINITED <UITextView: 0x1f; text = '\($0)'; x = 1>\nDeinited after 8.912s." },
        {
            "ALERTCONTROLLER STILL IN MEMORY <UIAlertController: 0x1f>\ntitle: \"\($0)\"\nmessage: \"M\"\nactions:  \"A\", \"B\""
        },
        {
            "ALERTCONTROLLER STILL IN MEMORY <UIAlertController: 0x1f>\ntitle: \"T\"\nmessage: \"M\"\nactions:  \"\($0)\"\ntextfields:  \"_\""
        },
        {
            "VIEWCONTROLLER STILL IN MEMORY <UIAlertController: 0x1f>\n title: \"T\";\nmessage: \"\($0)\";\nactions:  -;\ntextfields:  \"P\";"
        },
        {
            "VIEWCONTROLLER STILL IN MEMORY     <UIAlertController: 0x1f>\n    title: \"T\"\n    message: \"M\"\n    actions:  \"A\"\n    textfields:  \"\($0)\""
        },
        {
            "LEAKED ALERTCONTROLLER DEINITED <UIAlertController: 0x1f>\ntitle: \"100\nmessage: \"\($0)\"\nactions:  \"A\"\n\nDeinited after 1.500s."
        },
        { "ALERTCONTROLLER STILL IN MEMORY An alert of mine\ntitle: \"\($0)\"\nmessage: \"M\"" },
        {
            "NAVIGATIONCONTROLLER STILL IN MEMORY <UINavigationController: 0x1f>\n📄 <A: 0x2f; text = '\($0)'>\n📄 <B: 0x3f>"
        },
        {
            "VIEWCONTROLLER STILL IN MEMORY <UINavigationController: 0x1f>:\n[<A: 0x2f>, <B: 0x3f; title = '\($0)'>]"
        },
        {
            "XCTAssertNil failed: \"<UILabel: 0x1f; text = '\($0)'>\" - Expected deallocation of Optional(<UILabel: 0x1f; text = '\($0)'>)"
        },
        {
            "Expected deallocation of <UITextField: 0x1f; text = ''; placeholder = \($0); clipsToBounds = YES>"
        },
        { "Expected deallocation of <UIBarButtonItem: 0x1f> target=0x2f action=pay title='\($0)'" },
        { "Expected deallocation of Optional(<UITabBarItem: 0x1f> title='\($0)' selected)" },
        {
            "A.swift:7: Fatal error: Expected deallocation of <UIAction: 0x1f; title = \($0); image = (null)>"
        },
        {
            "<UILabel: 0x1f; text = '\($0)'> has leaked. Objects are expected to be deallocated at this time: NSMapTable {\n[1] 2 -> <UITextField: 0x1f; text = ''; placeholder = \($0)>\n}"
        },
        { "<<UILabel: 0x1f; text = '\($0)'>: 5614401294713938324> has leaked. Objects are expected" },
        {
            "*** Expected deallocation of <UILabel:0x1f; text = '\($0)'> 3.41s ago, possibly failed due to: shown"
        },
        {
            "*** Expected deallocation of <Cart:0x1f> 3.41s ago, possibly failed due to: <UILabel: 0x2f; text = '\($0)'>"
        },
        { "Eventually did deallocate <UILabel: 0x1f; text = '\($0)'> after 12.41s (3 left)" },
        { "视图泄漏: <UILabel: 0x1f; text = '\($0)'> \n视图所在控制器 AMLeaksFinder.ViewHasLeakVC \n操作路径:\nA -> \n" },
        { "POSSIBLE LEAK ALERT: <UILabel: 0x1f; text = '\($0)'> - current count: 2, max count: 1" },
        { "Detect Possible Leak: <UILabel: 0x1f; text = '\($0)'>" },
        { "--- -[UIView dealloc] @\"<UILabel: 0x1f; text = '\($0)'>\"" },
        { "Memory Leak: (\n    Foo,\n    \"<UILabel: 0x1f; text = '\(escaped($0))'>\"\n)" },
        { "Leak: <UIAlertAction: 0x1f Title = \"\($0)\" Descriptive = \"(null)\" Image = 0x0>" },
        { "Something leaked: <UILabel: 0x1f; text = '\($0)'; layer = <_UILabelLayer: 0x2f>> in the cart" },
        { "<Cart: 0x2f> keeps <UITextField: 0x1f; text = ''; placeholder = \($0)>" },
        { "Something leaked: \"\($0)\"" },
        { "Something leaked: title = 'T' and label = \"\($0)\"" },
        { "2017-11-14 11:58:37.373501+0800 app[1:2] VIEW STILL IN MEMORY <UILabel: 0x1f; text = '\($0)'>" },
        {
            "*** Terminating app due to uncaught exception 'E', reason: 'Expected deallocation of <UILabel: 0x1f; text = '\($0)'>'"
        },
    ]

    /// Messages that were truncated inside the text of the user.
    static let cutMessages: [@Sendable (String) -> String] = [
        { "VIEW STILL IN MEMORY <UILabel: 0x1f; text = '\($0)" },
        { "LEAKED VIEW DEINITED <UILabel: 0x1f; text = '\($0)" },
        { "ALERTCONTROLLER STILL IN MEMORY <UIAlertController: 0x1f>\ntitle: \"\($0)" },
        { "ALERTCONTROLLER STILL IN MEMORY An alert\ntitle: \"\($0)" },
        { "Expected deallocation of <My odd 'view': 0x1f; placeholder = \($0)" },
        { "视图泄漏: <UILabel: 0x1f; text = '\($0)" }, { "XCTAssertNil failed: \"<UILabel: 0x1f; text = '\($0)" },
        { "Eventually did deallocate <UILabel: 0x1f; text = '\($0)" },
    ]

    /// Messages of no known form that were truncated inside the text of the user. The truncation is recognized only if
    /// that text contains no quote.
    static let cutQuotations: [@Sendable (String) -> String] = [
        { "Something leaked: '\($0)" }, { "Leak of \"\($0)" }, { "Leak 'T' of \"\($0)" },
    ]

    /// Elements of `class`, `stack`, `children` and `cycle` as senders may take them from descriptions.
    static let names: [@Sendable (String) -> String] = [
        { "<UILabel: 0x1f; text = '\($0)'>" }, { "UILabel text='\($0)'" },
        { "\"<UILabel: 0x1f; text = '\($0)'>\"" },
        { "Optional(<Shop.Field: 0x1f; placeholder = \($0)>)" }, { "<UIBarButtonItem: 0x1f> title='\($0)'" },
        { "UIAlertController \"\($0)\"" }, { "<UILabel: 0x1f; text = '\($0)" },
    ]

    /// Texts of an app that contain the description of an object with one text of a user.
    static let words: [@Sendable (String) -> String] = [
        { "tapped <UIButton: 0x1f; frame = (0 0; 1 1); text = '\($0)'>" },
        { "<UITextField: 0x1f; placeholder = \($0)>" },
    ]

    /// Returns a string in the form in which a collection prints it.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
