import Foundation
import LeakMessage
import Testing

@testable import LeakReporter

@Suite struct ReportedErrorTests {
    private enum Simple: Error { case first, second(name: String) }

    private struct Localized: LocalizedError { var errorDescription: String? { "Shop.Cart stayed" } }

    private struct Custom: CustomNSError, LocalizedError {
        static let errorDomain = "com.acme"
        let errorCode = 9
        var errorUserInfo: [String: Any] { ["cart": 3] }
        let errorDescription: String? = "said"
    }

    @Test func `a reported NSError has its domain and code, and its description before other userInfo`() {
        let error = NSError(
            domain: "com.acme.shop", code: 8,
            userInfo: [
                "a": 1, NSLocalizedDescriptionKey: "VIEWCONTROLLER STILL IN MEMORY <A: 0x1>", "Z": true,
            ])
        let reported = ReportedError(error)
        #expect(reported.domain == "com.acme.shop")
        #expect(reported.code == 8)
        #expect(
            reported.userInfo == [
                CustomKey("NSLocalizedDescription", .string("VIEWCONTROLLER STILL IN MEMORY <A: 0x1>")),
                CustomKey("Z", .boolean(true)), CustomKey("a", .number(1)),
            ])
    }

    @Test func `an NSError without a description is reported without a description`() {
        #expect(ReportedError(NSError(domain: "d", code: -3)).userInfo == [])
    }

    private struct Nameless: CustomNSError { static let errorDomain = "" }

    @Test func `an error without a domain is named after its type`() {
        #expect(ReportedError(NSError(domain: "", code: 7)).domain.hasSuffix("NSError"))
        let reported = ReportedError(Nameless())
        #expect(reported.domain == "LeakReporterTests.ReportedErrorTests.Nameless")
    }

    /// The domain is the name of the type. The runtime's name of a private type contains an address, which is left out.
    @Test func `a Swift error's domain is the same in every launch`() {
        let reported = ReportedError(Simple.second(name: "Jane Doe"))
        #expect(reported.domain == "LeakReporterTests.ReportedErrorTests.Simple")
        #expect(!"\(reported)".contains("Jane"), "an associated value may be data of a user")
        #expect(!"\(reported)".contains("$"))
    }

    @Test func `a localized error is reported with its description`() {
        #expect(
            ReportedError(Localized()).userInfo == [
                CustomKey("NSLocalizedDescription", .string("Shop.Cart stayed"))
            ])
        let custom = ReportedError(Custom())
        #expect(custom.domain == "com.acme")
        #expect(custom.code == 9)
        #expect(
            custom.userInfo == [
                CustomKey("NSLocalizedDescription", .string("said")), CustomKey("cart", .number(3)),
            ])
    }

    @Test func `additional userInfo replaces equal keys of the error's own userInfo`() {
        let error = NSError(domain: "d", code: 1, userInfo: ["a": "old", "b": "kept"])
        #expect(
            ReportedError(error, adding: ["a": "new"]).userInfo == [
                CustomKey("a", .string("new")), CustomKey("b", .string("kept")),
            ])
    }

    /// Values as apps pass them, boxed or not. Booleans and numbers are distinguished.
    @Test func `plain values of userInfo keep their types`() {
        let values: [(Any, CustomKey.Value)] = [
            (true, .boolean(true)), (NSNumber(value: true), .boolean(true)),
            (NSNumber(value: false), .boolean(false)),
            (1, .number(1)), (NSNumber(value: 1), .number(1)), (NSNumber(value: 0), .number(0)),
            (UInt8(7), .number(7)), (Int64.max, .number(Double(Int64.max))), (1.5, .number(1.5)),
            (Float(0.5), .number(0.5)), (Double.nan, .string("nan")), (-Double.infinity, .string("-inf")),
            ("text", .string("text")), (NSString("boxed"), .string("boxed")),
            (Substring("part"), .string("part")),
            (URL(string: "https://a.example/b")! as Any, .string("https://a.example/b")),
            (NSError(domain: "inner", code: 4, userInfo: ["secret": "x"]), .string("inner 4")),
        ]
        for (value, expected) in values {
            let reported = ReportedError(NSError(domain: "d", code: 1, userInfo: ["v": value]))
            #expect(reported.userInfo == [CustomKey("v", expected)], "\(type(of: value))")
        }
    }

    /// A description may contain any data of a user. The name of the type does not.
    @Test
    func `a userInfo value other than text, number, boolean, URL or error is reported without its content`() {
        struct Person: CustomStringConvertible { var description: String { "Jane Doe" } }
        let reported = ReportedError(
            NSError(domain: "d", code: 1),
            adding: ["p": Person(), "list": ["Jane"], "none": String?.none as Any])
        let text = "\(reported)"
        #expect(!text.contains("Jane"))
        #expect(!text.contains("$"))
        #expect(reported.userInfo.count == 3)
    }

    @Test func `an optional in userInfo that has a value is reported as the value`() {
        let reported = ReportedError(NSError(domain: "d", code: 1), adding: ["o": Optional("x") as Any])
        #expect(reported.userInfo == [CustomKey("o", .string("x"))])
    }

    @Test func `sixty-four of a thousand userInfo entries are reported, including the description`() {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: "text"]
        for number in 0..<1_000 { userInfo["\(number)"] = number }
        let reported = ReportedError(NSError(domain: "d", code: 1, userInfo: userInfo))
        #expect(reported.userInfo.count == 64)
        #expect(reported.userInfo.first?.name == "NSLocalizedDescription")
    }
}

@Suite struct ThisDeviceTests {
    @Test(
        arguments: [
            ([:], "production"), (["ENVIRONMENT": "staging"], "staging"), (["APP_ENV": "test"], "test"),
            (["ENVIRONMENT": "", "APP_ENV": "test"], "test"), (["ENVIRONMENT": "a", "APP_ENV": "b"], "a"),
        ] as [([String: String], String)])
    func `the environment of a server is read from its environment variables`(
        variables: [String: String], environment: String
    ) {
        #expect(ThisMachine.environment(variables: variables) == environment)
    }

    @Test(
        arguments: [
            (true, nil, false, "debug"), (true, "sandboxReceipt", false, "debug"),
            (false, "sandboxReceipt", false, "testflight"), (false, "sandboxReceipt", true, "production"),
            (false, "receipt", false, "production"), (false, nil, true, "production"),
        ] as [(Bool, String?, Bool, String)])
    func `an app's environment is guessed from build configuration, receipt and provisioning profile`(
        isDebug: Bool, receipt: String?, hasProfile: Bool, environment: String
    ) {
        let guess = ThisMachine.environment(isDebug: isDebug, receipt: receipt, hasProfile: hasProfile)
        #expect(guess == environment)
    }

    @Test func `the device info of this system has a name, a version and a model`() {
        let device = DeviceInfo.ofThisSystem
        #expect(device.os?.isEmpty == false)
        #expect(device.osVersion?.contains(".") == true)
        #expect(device.model?.isEmpty == false)
        #expect(
            AppInfo.ofThisProcess.module?.contains { !($0.isLetter || $0.isNumber || $0 == "_") } == false)
    }
}
