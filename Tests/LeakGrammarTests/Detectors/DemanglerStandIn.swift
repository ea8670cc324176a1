/// The demangler's answers for the manglings in these tests, since only the collector may ask the runtime.
let demangle: @Sendable (String) -> String? = { name in
    [
        "$s5MyApp13FooControllerC": "MyApp.FooController",
        "_T05MyApp13FooControllerC": "MyApp.FooController",
        "$s5MyApp13FooControllerCMn": "nominal type descriptor for MyApp.FooController",
    ][name]
}
