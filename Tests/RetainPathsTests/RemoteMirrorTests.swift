#if os(Linux)
    import CLeakRemoteMirror
    import RetainScenarios
    import Testing

    @testable import RetainPaths

    /// Compares the layouts of this module with those of the toolchain's libswiftRemoteMirror, which computes them
    /// independently.
    @Suite struct RemoteMirrorTests {
        /// Fields that the library describes differently, by class name without generic arguments.
        ///
        /// - The library does not report that a reference to `any ScreenDelegate` or `AnyObject` is weak.
        private static let otherFields = ["RetainScenarios.Detail": ["delegate"]]

        /// Offsets of references that only the library reports.
        ///
        /// - Weak references to a protocol, alone and in a payload.
        /// - The task of an `UnsafeContinuation`, which does not retain it.
        private static let otherReferences = [
            "RetainScenarios.Detail": [40, 136], "RetainScenarios.Waiter": [48],
        ]

        /// Modules of the objects that the scenarios make. A search also reaches objects of suites that run at the same time.
        private static let comparedModules: Set<Substring> = [
            "RetainScenarios", "Swift", "_Concurrency", "Foundation", "FoundationEssentials", "Dispatch",
        ]

        @Test(
            .enabled(
                if: RemoteMirror.path != nil,
                "libswiftRemoteMirror.so does not lie beside libswiftCore.so, as in a toolchain"))
        func `fields and references have the offsets that libswiftRemoteMirror computes`() async throws {
            let images = ElfImage.loaded()
            let mirror = try #require(RemoteMirror(images))
            var layouts = await Self.layoutsOfScenarios()
            let classes = Set(
                layouts.layouts.filter { $0.kind == .object }.map { Metadata($0.metadata) }
                    + images.flatMap(Self.scenarioClasses))
            var (known, fieldCount, referenceCount) = (0, 0, 0)
            for type in classes {
                guard let theirs = mirror.allFields(of: type) else { continue }
                let name = String(MetadataName.qualified(type).prefix { $0 != "<" })
                guard Self.comparedModules.contains(name.prefix { $0 != "." }) else { continue }
                let exceptions = Self.otherFields[name]
                // The library counts the fields of a superclass's superclass twice, so that fields begin later and objects are larger.
                let isLaidOutTheSame =
                    type.superclass?.superclass.map { Reflection.fields(of: $0).isEmpty } ?? true
                let ours = Reflection.fields(of: type)
                #expect(ours.map(\.name) == theirs.fields.map(\.name), "\(name)")
                for (field, other) in zip(ours, theirs.fields)
                where isLaidOutTheSame && exceptions?.contains(field.name) != true {
                    #expect(Self.description(field) == Self.description(other), "\(name)")
                }
                // The library counts a field that key paths do not have on Linux.
                if isLaidOutTheSame, !name.hasSuffix("KeyPath") {
                    #expect(type.instanceSize == theirs.size, "\(name)")
                }
                let found = Self.references(layouts.classLayout(type).referenceFields, layouts.types)
                // Leaves out types that libswiftRemoteMirror cannot lay out, and the storage of strings.
                let described = theirs.fields.flatMap { mirror.references($0) }
                    .filter { $0.kind != .unknown && Self.otherReferences[name]?.contains($0.offset) != true }
                if isLaidOutTheSame { #expect(Set(described).subtracting(found).isEmpty, "\(name)") }
                known += 1
                fieldCount += ours.count
                referenceCount += described.count
            }
            // Measured: 105 of 107 classes with 402 fields in a debug build, and 93 classes with the address sanitizer. On a
            // busy machine 277 fields, because searches end before they reach some classes of libraries.
            #expect(known >= 80)
            #expect(fieldCount >= 200)
            #expect(referenceCount >= 100)
        }

        /// Formats a field as `16 strong title`.
        private static func description(_ field: Reflection.Field) -> String {
            "\(field.offset) \(field.isStrong ? "strong" : "not strong") \(field.name)"
        }

        private static func description(_ field: RemoteMirror.Field) -> String {
            let weak = [cmirror_unowned, cmirror_weak, cmirror_unmanaged].map(\.rawValue)
            return "\(field.offset) \(weak.contains(field.kind) ? "not strong" : "strong") \(field.name)"
        }

        /// Returns the references of a layout. For an enum, combines the references of all cases.
        private static func references(
            _ range: ReferenceFieldRange, _ types: TypeLayouts, at start: Int = 0
        ) -> Set<MirroredReference> {
            var all: Set<MirroredReference> = []
            for reference in types.referenceFields(in: range) {
                let offset = start + Int(reference.offset)
                switch reference.kind {
                case .strong, .storage, .block: all.insert(.init(offset: offset, kind: .object))
                case .function: all.insert(.init(offset: offset, kind: .function))
                case .string:
                    all.insert(.init(offset: offset + HeapLayout.StringValue.object, kind: .object))
                case .existential: all.insert(.init(offset: offset, kind: .existential))
                case .enumeration:
                    for payload in types.enums[Int(reference.detail)].cases {
                        all.formUnion(references(payload, types, at: offset))
                    }
                case .unknownWords: all.insert(.init(offset: offset, kind: .unknown))
                }
            }
            return all
        }

        /// Returns the layouts of all objects that the scenarios make.
        private static func layoutsOfScenarios() async -> ObjectLayouts {
            await onOwnThread {
                guard let finder = RetainPathFinder() else { return ObjectLayouts(ImageAddressMap()) }
                for scenario in RetainScenario.all {
                    _ = ScenarioResult(scenario, finder, timeout: .zero)
                }
                return finder.withWalker { $0.reader.layouts }
            }
        }

        /// Returns the classes of the module RetainScenarios that have no type parameters.
        private static func scenarioClasses(_ image: ElfImage) -> [Metadata] {
            typealias Context = DescriptorLayout.Context
            // Metadata.h: TargetMetadataRequest and MetadataResponse. The state in the second register is ignored.
            typealias Accessor = @convention(c) (UInt) -> UInt
            guard let section = image.sections["swift5_type_metadata"] else { return [] }
            let check = DescriptorCheck(ImageAddressMap())
            return stride(from: section.lowerBound, to: section.upperBound, by: 4).compactMap { record in
                let descriptor = ImmortalMemory.relativeTarget(record)
                guard check.isType(descriptor, Context.classKind),
                    ImmortalMemory.uint32(descriptor) & Context.isGenericFlag == 0,
                    let accessor = unsafe UnsafeRawPointer(
                        bitPattern: ImmortalMemory.relativeTarget(descriptor &+ Context.accessFunction)),
                    Self.module(descriptor) == "RetainScenarios"
                else { return nil }
                return Metadata(unsafe unsafeBitCast(accessor, to: Accessor.self)(0))
            }
        }

        private static func module(_ descriptor: UInt) -> String {
            typealias Context = DescriptorLayout.Context
            var current = descriptor
            while ImmortalMemory.uint32(current) & Context.kindMask != Context.moduleKind {
                let parent = ImmortalMemory.relativeTarget(current &+ Context.parent)
                current = parent & 1 == 0 ? parent : ImmortalMemory.word(parent & ~1)
            }
            return ImmortalMemory.string(ImmortalMemory.relativeTarget(current &+ Context.name))
        }
    }
#endif
