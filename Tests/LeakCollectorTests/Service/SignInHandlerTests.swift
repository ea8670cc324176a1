import Testing

@testable import LeakCollector

@Suite struct SignInHandlerTests {
    @Test(arguments: ["/", "/leaks/00112233445566778899aabbccddeeff", "/?app=com.acme.shop&sort=reports"])
    func `a sign-in can redirect to any path of the collector`(path: String) {
        #expect(SignInHandler.destination(path) == path)
    }

    @Test(arguments: [
        nil, "", "https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "leaks",
        "/a\r\nSet-Cookie: x=y", "/" + String(repeating: "a", count: 2048), "/\u{FF0F}evil.example",
    ])
    func `a sign-in never redirects to another site`(text: String?) {
        #expect(SignInHandler.destination(text) == nil)
    }
}
