/// Stands in for the demangler of the Swift runtime, which only the collector calls. It knows the names of these tests.
let demangle: @Sendable (String) -> String? = { name in
    [
        "$s5MyApp13FooControllerC": "MyApp.FooController",
        "_T05MyApp13FooControllerC": "MyApp.FooController",
        "$s5MyApp13FooControllerCMn": "nominal type descriptor for MyApp.FooController",
    ][name]
}
