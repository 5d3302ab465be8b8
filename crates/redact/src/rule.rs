//! What a rule is: the kind it reports, the shape it looks for, and the document that describes that shape.

/// One kind of credential: how it is told, and the document its shape follows.
#[derive(Debug)]
pub struct Rule {
    kind: &'static str,
    shape: Shape,
    source: &'static str,
}

/// How a credential is told from the text around it.
///
/// Patterns are in a small part of the notation of regular expressions: literals, sets (`[0-9a-f]`, `\w`, `\d`) and
/// counts (`{n}`, `{n,m}`). A `.` is a dot and a `$` a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Any of these patterns, wherever it stands by itself. The first literal of each is its keyword.
    Token(&'static [&'static str]),
    /// A value given to a secret's name (`X_API_KEY=…`), where that name holds one of `names` (any, if there are none)
    /// and the value has one of `patterns`.
    Named {
        /// Lower-case parts of the name, without separators.
        names: &'static [&'static str],
        /// Shapes of the whole value.
        patterns: &'static [&'static str],
    },
    /// A value given to a name that ends in one of these words, if the value does not look like a word or code.
    Assigned(&'static [&'static str]),
    /// The same, after one of these marks on the same line (the rest of a connection string).
    Marked(&'static [&'static str]),
    /// The password (or a token alone) before the `@` of a URL of one of these schemes.
    Url(&'static [&'static str]),
    /// The body of an armoured block with one of these labels.
    Block(&'static [&'static str]),
    /// The argument of a flag of a command.
    Flag {
        /// The command's name.
        command: &'static str,
        /// The flag, with its dash; the argument follows it, after a space or at once.
        flag: &'static str,
        /// Where the secret begins within the argument.
        part: Argument,
    },
    /// A syntax of its own, found by these keywords.
    Syntax(&'static [&'static str]),
}

/// Which part of a flag's argument is the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// All of it, after at least one space.
    Word,
    /// All of it, glued to the flag.
    Glued,
    /// What follows this byte.
    After(u8),
}

impl Rule {
    /// A kind told by a pattern of its own.
    pub(crate) const fn token(
        kind: &'static str,
        patterns: &'static [&'static str],
        source: &'static str,
    ) -> Self {
        Self {
            kind,
            shape: Shape::Token(patterns),
            source,
        }
    }

    /// A kind told by the name it is given to and by its shape.
    pub(crate) const fn named(
        kind: &'static str,
        names: &'static [&'static str],
        patterns: &'static [&'static str],
        source: &'static str,
    ) -> Self {
        Self {
            kind,
            shape: Shape::Named { names, patterns },
            source,
        }
    }

    /// A kind told in another way.
    pub(crate) const fn of(kind: &'static str, shape: Shape, source: &'static str) -> Self {
        Self {
            kind,
            shape,
            source,
        }
    }

    /// The name in the placeholder.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        self.kind
    }

    /// How it is told.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The document that describes the shape.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        self.source
    }

    /// The strings without which the rule is never tried.
    #[must_use]
    pub fn keywords(&self) -> Vec<&'static str> {
        match self.shape {
            Shape::Token(patterns) => patterns
                .iter()
                .filter_map(|p| std::str::from_utf8(crate::pattern::keyword(p.as_bytes())).ok())
                .collect(),
            Shape::Named { .. } | Shape::Marked(_) | Shape::Assigned(_) => {
                crate::keywords::NAMES.to_vec()
            }
            Shape::Url(_) => vec![crate::keywords::URL],
            Shape::Block(_) => crate::keywords::BLOCKS.to_vec(),
            Shape::Flag { command, .. } => vec![command],
            Shape::Syntax(words) => words.to_vec(),
        }
    }
}
