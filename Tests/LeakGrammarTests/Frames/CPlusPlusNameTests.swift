import LeakSeededRandom
import Testing

@testable import LeakGrammar
@testable import LeakMessage

/// Symbols of C++ compilers, and the functions that `c++filt` prints for them.
@Suite struct CPlusPlusNameTests {
    @Test(arguments: [
        ("_Z4mainv", "main()"), ("_ZN4shop4Cart3addEi", "shop::Cart::add()"),
        ("__ZN4shop4Cart3addEi", "shop::Cart::add()"),
        ("_ZNK4Cart4sizeEv", "Cart::size()"), ("_ZN4CartC1ERKS_", "Cart::Cart()"),
        ("_ZN4CartD0Ev", "Cart::~Cart()"),
        ("_ZN4CartC2EOS_", "Cart::Cart()"), ("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector::push_back()"),
        ("_ZNSt6vectorIN4shop4ItemESaIS1_EE4growEm", "std::vector::grow()"),
        ("_ZSt4sortIPiEvT_S1_", "std::sort()"),
        ("_ZN12_GLOBAL__N_14loadEv", "(anonymous namespace)::load()"), ("_ZL6helperi", "helper()"),
        ("_ZN4shop4makeB5cxx11Ev", "shop::make()"), ("_ZN4CartaSERKS_", "Cart::operator=()"),
        ("_ZN4CartclEv", "Cart::operator()()"), ("_ZN5StoreIN4shop4HomeELi3EE4loadEv", "Store::load()"),
        ("_ZN5StoreILN4shop4KindE2EE4loadEv", "Store::load()"),
        ("_ZN5ArrayIA10_cLb1EE4loadEv", "Array::load()"),
        ("_Z5applyIFviEEvT_", "apply()"), ("_ZNSs6appendEPKc", "std::string::append()"),
        ("_ZThn16_N4Cart3runEv", "Cart::run()"), ("_ZTv0_n24_N4Cart3runEv", "Cart::run()"),
        ("_ZZN4Cart4loadEvENKUlvE_clEv", "lambda in Cart::load()"),
        ("_ZZN4Cart4loadEvENKUliE0_clEi", "lambda in Cart::load()"),
        ("_ZZ4mainEN5Local3runEv", "main::Local::run()"),
        (
            "_ZNSt17_Function_handlerIFvvEZN4Cart4loadEvEUlvE_E9_M_invokeERKSt9_Any_data",
            "std::_Function_handler::_M_invoke()"
        ),
    ])
    func `a C++ symbol is demangled`(symbol: String, name: String) {
        #expect(FunctionNameReader.read(Text(symbol)) { _ in nil } == name)
    }

    @Test(arguments: [
        "_Z", "_ZN", "_ZN4", "_ZN9Cart", "_ZN4CartE9", "_ZTV4Cart", "_ZGVZ4mainvE1x", "_ZN4CartcviEv",
        "_ZNS_4CartE",
        "_Z5applyIXsrSt7is_sameE5valueEvT_", "_ZZZZZZZZ", "_ZNDtE",
    ])
    func `a symbol that is not a complete C++ name stays unchanged`(symbol: String) {
        let name = FunctionNameReader.read(Text(symbol)) { _ in nil }
        #expect(name == symbol || symbol == "_ZN4CartE9" && name == "Cart()")
    }

    /// The signatures are output of `c++filt`, `llvm-cxxfilt` and lldb, which print the types of arguments differently.
    @Test(arguments: [
        ("shop::Cart::load(std::string const&)", "shop::Cart::load()"),
        (
            "shop::Cart::load(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)",
            "shop::Cart::load()"
        ),
        (
            "shop::Cart::load(std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>)",
            "shop::Cart::load()"
        ),
        ("shop::Cart::load(int) const", "shop::Cart::load()"),
        ("shop::Cart::load() &&", "shop::Cart::load()"),
        ("shop::load[abi:cxx11](int)", "shop::load()"), ("load(char const*)", "load()"),
        ("Cart::Cart(Cart&&)", "Cart::Cart()"), ("Cart::~Cart()", "Cart::~Cart()"),
        ("void shop::apply<int (*)(int)>(int (*)(int))", "shop::apply()"),
        ("std::vector<int, std::allocator<int> > shop::make<int>()", "shop::make()"),
        ("Store<shop::Home, (shop::Kind)2>::load(int)", "Store::load()"),
        ("std::function<void (int)>::operator()(int) const", "std::function::operator()()"),
        ("shop::(anonymous namespace)::load(int)", "shop::(anonymous namespace)::load()"),
        ("(anonymous namespace)::load(int)", "(anonymous namespace)::load()"),
        ("shop::operator<<(std::ostream&, shop::Cart const&)", "shop::operator<<()"),
        ("bool shop::operator< <int>(shop::Cart const&)", "shop::operator<()"),
        ("shop::Cart::operator[](int)", "shop::Cart::operator[]()"),
        ("shop::Cart::operator bool() const", "shop::Cart::operator bool()"),
        ("operator new(unsigned long)", "operator new()"),
        ("operator delete[](void*)", "operator delete[]()"),
        ("non-virtual thunk to shop::Cart::run()", "shop::Cart::run()"),
        ("main::Local::run(int)", "main::Local::run()"), ("main()::Local::run()", "main::Local::run()"),
        ("foo(std::string const&)::{lambda()#1}::operator()() const", "lambda in foo()"),
        ("shop::foo(int)::{lambda(int)#2}::operator()(int) const", "lambda in shop::foo()"),
        ("foo(int)::{lambda()#1}::operator()() const::{lambda()#2}::operator()() const", "lambda in foo()"),
        ("foo(int)::$_0::operator()() const", "lambda in foo()"),
        ("foo(int)::$_1::__invoke(int)", "lambda in foo()"),
        ("foo(int)::'lambda'()::operator()() const", "lambda in foo()"),
        ("foo(int)::'lambda0'(int)::operator()(int) const", "lambda in foo()"),
        ("foo(int)::'…'(int)::operator()(int) const", "lambda in foo()"),
        ("invocation function for block in shop::foo(int)", "block in shop::foo()"),
        ("shop::Cart::load(this=0x1, n=2)", "shop::Cart::load()"),
        // Names of other languages stay unchanged.
        ("shop::Cart::add", "shop::Cart::add"),
        ("<shop::Cart as core::ops::Drop>::drop", "<shop::Cart as core::ops::Drop>::drop"),
        ("Cart.add(_:to:)", "Cart.add(_:to:)"), ("load(_:)", "load(_:)"), ("load()", "load()"),
        ("closure #1 in Cart.load(from:)", "closure #1 in Cart.load(from:)"),
        ("-[Cart add:]", "-[Cart add:]"),
        ("Cart.::(_:_:)", "Cart.::(_:_:)"),
    ])
    func `a printed C++ signature gives the same function name as its symbol`(signature: String, name: String)
    {
        #expect(FunctionNameReader.read(Text(signature)) { _ in nil } == name)
        #expect(FunctionNameReader.read(Text(name)) { _ in nil } == name, "read again")
    }

    @Test(arguments: [
        "shop::Cart::load(int", "shop::load)(", "::", "(anonymous namespace)", "a::{", "a::'", "a::<",
        "shop::operator", "a::[",
        "{lambda()#1}", "a::b,c",
    ])
    func `a text that is not a C++ signature stays unchanged`(text: String) {
        let name = FunctionNameReader.read(Text(text)) { _ in nil }
        #expect(name == text || text == "{lambda()#1}" && name == "lambda", "\(name ?? "")")
    }

    @Test func `C++ lambdas are named after the function that contains them`() throws {
        let stack = try #require(
            CallStack([
                "./shop(_ZZN4Cart4loadEvENKUlvE_clEv+0x1f) [0x55dd8268e1b9]",
                "./shop(_Z4mainv+0x1f) [0x55dd8268e1b9]",
            ]))
        #expect(stack.keyElements == ["at Cart::load() in shop", "at main() in shop"])
    }

    @Test(arguments: ["N", "Z", "ZN1a", "I", "N1aI", "1aI", "NUl", "S", "N1aIL", "N1aIN", "_", "N1aIUl", "T"])
    func `C++ symbols of one repeated part are read in linear time`(part: String) {
        expectLinearTime { _ = CPlusPlusDemangler.read(Text("_Z" + String(repeating: part, count: $0))) }
    }

    @Test(arguments: [
        "(", "a::", "a<", "a(", "operator<", "{lambda()#1}::", "'a'", " ", "a::(b)", "[abi:", "$_0::",
    ])
    func `C++ signatures of one repeated part are read in linear time`(part: String) {
        expectLinearTime {
            _ = CPlusPlusSignatureReader.read(Text("a::" + String(repeating: part, count: $0)))
        }
    }

    /// - Parameter read: reads a text with the given number of parts.
    private func expectLinearTime(_ read: (Int) -> Void) {
        func seconds(_ count: Int) -> Double {
            let before = threadSeconds()
            read(count)
            return threadSeconds() - before
        }
        let small = seconds(2_000)
        #expect(seconds(20_000) < max(small, 0.01) * 40)
    }

    @Test(arguments: ["D1", "C1", "D2B1aD1"])
    func `a demangled C++ name is no longer than its symbol, even with repeated destructors`(part: String) {
        let symbol = "_ZN4Cart" + String(repeating: part, count: 100) + "Ev"
        #expect(CPlusPlusDemangler.read(Text(symbol)).utf8.count <= symbol.utf8.count)
    }

    @Test(arguments: 1...20) func `random C++ symbols cause no crash`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let parts = [
            "N", "Z", "E", "I", "4Cart", "1a", "S_", "St", "T_", "L", "i", "Ul", "_", "C1", "D0", "X", "A3_",
            "K", "cl", "0", "F",
        ]
        for _ in 0..<500 {
            var symbol = "_Z"
            for _ in 0..<(1 + random.below(12)) { symbol += parts[random.below(parts.count)] }
            _ = CPlusPlusDemangler.read(Text(symbol))
        }
    }
}
