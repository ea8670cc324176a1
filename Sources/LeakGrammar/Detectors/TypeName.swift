internal import LeakMessage

/// The name of a type without the parts that change from launch to launch, from build to build and from API to API.
///
/// These parts are addresses, quotes, `Optional(…)`, prefixes and suffixes that runtimes add to subclasses which they create,
/// contexts of private types, and mangling. Generic arguments become `<…>`, except in hosting wrappers, such as
/// `UIHostingController`, where they distinguish screens.
package struct TypeName: Hashable, Sendable, CustomStringConvertible {
    /// The cleaned name: `Shop.Outer.Cart`, `Shop.Store<…>`, `SwiftUI.UIHostingController<Shop.CartView>`.
    package let text: String
    /// The cleaned name by version 2 of the grouping rules. It keeps arguments that are types of the app, as in
    /// `Shop.Store<Shop.HomeState>`. A hosting wrapper keeps only the hosted view: `SwiftUI.UIHostingController<Shop.CartView>`.
    package let detailedText: String
    /// The cleaned name with all arguments. Cleaning this name again gives the same three texts.
    let wholeText: String
    /// The part that distinguishes two private types of the same name, such as `_9B7A…`; it changes if the file is renamed.
    package let discriminator: String?
    /// `true` if the name looks mangled but could not be demangled. The name is then kept unchanged.
    package let isUndemangled: Bool
    /// `true` for a type of the system whose name contains no type of the app, so that the name does not show where the app
    /// uses the type.
    package let isSystem: Bool
    /// `true` for a host of SwiftUI views whose name does not show the view:
    /// `SwiftUI.NavigationStackHostingController<SwiftUI.AnyView>`.
    package let isUnnamedHost: Bool

    package var description: String { text }

    /// Cleans `raw`. Never fails; a text that cannot be read is kept unchanged.
    ///
    /// - Parameter demangle: demangles one name; `nil` if the text is not a mangled name.
    package init(_ raw: String, demangle: (String) -> String? = { _ in nil }) {
        self.init(Text(raw), demangle: demangle)
    }

    init(_ raw: Text, demangle: (String) -> String?) {
        let raw = raw.cut(to: TypeNameCleaner.byteLimit)
        let first = Round(raw, demangle)
        // Cleaning is repeated, because text inside a mangled name or a context may have to be cleaned too.
        var latest = first
        var discriminator = first.discriminator
        var previous = raw
        var roundCount = 1
        while latest.name != previous {
            guard roundCount <= Self.roundLimit else {
                // The name changes in every round. Only names that were constructed to do so reach this line.
                latest.name = TypeNameCleaner.withoutControls(MessageRedactor.redactedName(raw))
                break
            }
            previous = latest.name
            latest = Round(previous, demangle)
            discriminator = discriminator ?? latest.discriminator
            roundCount += 1
        }
        text = latest.name.string
        // A name that takes more than one round to clean loses its arguments on the way.
        let isWhole =
            first.plain == latest.name
            || first.plain.count <= TypeNameCleaner.byteLimit
                && Round(first.plain, demangle).name == latest.name
        wholeText = isWhole ? first.plain.string : text
        let detailed = isWhole ? Generics.withAppTypes(Generics.desugared(first.plain)) : latest.name
        detailedText = detailed.count <= TypeNameCleaner.byteLimit ? detailed.string : text
        self.discriminator = discriminator
        isUndemangled = TypeNameCleaner.looksMangled(latest.name)
        isSystem = first.isSystem
        isUnnamedHost = Generics.isUnnamedHost(first.plain)
    }

    private static let roundLimit = 4

    /// The result of cleaning a name once.
    private struct Round {
        var name: Text
        /// The name with all generic arguments.
        let plain: Text
        let discriminator: String?
        let isSystem: Bool

        init(_ raw: Text, _ demangle: (String) -> String?) {
            var name = TypeNameCleaner.withoutRuntimeMarks(
                TypeNameCleaner.unwrapped(MessageRedactor.redactedName(raw)))
            if TypeNameCleaner.looksMangled(name) {
                let mangled = name.string
                if let plain = Swift3Demangler.demangle(name) ?? demangle(mangled), plain != mangled,
                    plain.utf8.count <= TypeNameCleaner.demangledByteLimit
                {
                    name = TypeNameCleaner.simplified(Text(plain))
                }
            } else {
                name = TypeNameCleaner.simplified(name)
            }
            let (plain, discriminator) = TypeNameCleaner.withoutContexts(name)
            let (erased, hasAppType) = Generics.erased(plain)
            self.plain = plain
            self.name = erased.cut(to: TypeNameCleaner.byteLimit)
            self.discriminator = discriminator
            isSystem = SystemNames.hasSystemPrefix(erased) && !hasAppType
        }
    }

    /// Reads `raw` as the name of a type.
    ///
    /// - Returns: `nil` for a text that is too long, or that has other parts than identifiers, dots and generic arguments after
    ///   cleaning.
    static func ifNamed(_ raw: Text, demangle: (String) -> String?) -> TypeName? {
        guard raw.count <= TypeNameCleaner.byteLimit else { return nil }
        let name = TypeName(raw, demangle: demangle)
        return TypeNameCleaner.isTypeLike(Text(name.text)) ? name : nil
    }

    /// Separates the module from the name.
    ///
    /// A system's module, such as `SwiftUI`, is always separated. Modules inside the arguments of hosting wrappers are removed
    /// too.
    ///
    /// - Parameter appModule: the app's own module. It is separated if the name begins with it, unchanged or with `_` for each
    ///   byte that is not a letter or digit. If `nil`, the first component of a dotted name counts as the app's module.
    package func split(appModule: String?) -> (module: String?, name: String) {
        let app = ModuleNames(appModule)
        let (module, name) = ModuleNames.split(Text(text), app)
        return (module?.string, Generics.mapArguments(of: name) { ModuleNames.split($0, app).name }.string)
    }

    /// Returns a cleaned name without the digits of addresses, such as `Cart 0x` for `Cart 0x7f88acc69260`.
    package static func withoutAddresses(_ name: String) -> String {
        TypeNameCleaner.withoutAddresses(Text(name)).string
    }

    /// Returns a name without the folders of a path in a home folder, which has the name of a user.
    package static func withoutHomeFolder(_ name: String) -> String {
        SourcePositionParser.withoutHomeFolder(Text(name)).string
    }

    /// Returns `true` for a module of the system.
    package static func isSystemModule(_ module: String) -> Bool { SystemNames.isSystemModule(Text(module)) }

    /// `true` for a name with a package of Java or Kotlin, whose first part is not a module.
    public var isInJavaPackage: Bool { ModuleNames.isInJavaPackage(Text(text)) }

    /// Returns ``detailedText`` without the module. If `appModule` is `nil`, the arguments of an app's class lose only the module of that
    /// class, so that `Shop.Store<Feed.State>` and `Shop.Store<Chat.State>` stay different.
    package func detailedName(appModule: String?) -> String {
        let fullName = Text(detailedText)
        guard !ModuleNames.isInJavaPackage(fullName) else { return detailedText }
        let app = ModuleNames(appModule)
        let (module, name) = ModuleNames.split(fullName, app)
        guard app == nil, SystemNames.isAppType(fullName.prefix { $0 != UInt8(ascii: "<") }) else {
            return Self.name(name, withoutModuleInArguments: app)
        }
        return Self.name(name, withoutModuleInArguments: ModuleNames(module?.string ?? "-"))
    }

    private static func name(_ name: Text, withoutModuleInArguments app: ModuleNames?) -> String {
        Generics.mapArguments(of: name) { argument in
            let name = ModuleNames.split(argument, app).name
            return name.equals("Type") || name.equals("Protocol") ? argument : name
        }.string
    }
}
