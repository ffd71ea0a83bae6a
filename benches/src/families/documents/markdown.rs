//! Markdown to measure with: the same on every run, and shaped like a handbook.

/// The levels of the headings of a chapter: 25 headings.
const HEADINGS: [usize; 25] = [
    1, 2, 3, 4, 3, 4, 4, 2, 3, 4, 3, 4, 2, 3, 4, 3, 4, 3, 4, 2, 3, 4, 3, 4, 4,
];

/// How many other blocks a chapter has.
const BLOCKS: usize = 106;

/// The kinds of the blocks, over and over: paragraphs, lists, code, tables and quotes. No two of
/// the last four stand side by side, where they would be one.
const KINDS: &[u8] = b"pplppcpptpplppqppcppl";

const FRONT_MATTER: &str = "---\n\
    title: Handbuch für Prüfung und Betrieb\n\
    author: Käthe Übermuth\n\
    category: Operations\n\
    tags: [Qualität, risk control, Wartung]\n\
    ---\n\n";

const WORDS: &str = "abweichung account änderung anlage archive ausfall backup baseline batch \
    bericht betrieb beleg capacity check cluster datei deadline default deploy durchlauf eingang \
    ergebnis event fehler fenster frist gateway genehmigung größe grenze handover host hinweis \
    index inhalt job journal kanal kennzahl key könnte latency lauf lieferung limit liste log \
    maßnahme measure memory menge message monitor muster nachweis netz node note nutzer offset \
    order owner pfad plan policy probe protocol prüfung queue quelle quote rahmen record region \
    replica report request review risiko rolle round router rückgabe sample schlüssel schritt \
    schwelle segment server session signal snapshot speicher stage status stream stufe system \
    table target task test thread ticket timeout token topic trace übergabe umfang update user \
    verfahren verlauf version volume vorgang wartung weg wert window worker wächter zähler zeit \
    ziel zone zugriff zustand the and with der die das und mit für ist wird nach before after";

/// A document of so many chapters, about 27 KB each.
pub fn handbook(chapters: usize) -> String {
    let mut author = Author::new();
    let mut kinds = KINDS.iter().cycle();
    author.text.push_str(FRONT_MATTER);
    for _ in 0..chapters {
        for (index, &level) in HEADINGS.iter().enumerate() {
            author.heading(level);
            // What is left over goes to the first headings.
            let share = BLOCKS / HEADINGS.len() + usize::from(index < BLOCKS % HEADINGS.len());
            for kind in kinds.by_ref().take(share) {
                author.block(*kind);
            }
        }
    }
    author.text
}

/// As many blocks as fit: a letter each.
pub fn letters(bytes: usize) -> String {
    "a\n\n".repeat(bytes / 3)
}

/// Writes at random, always the same.
struct Author {
    text: String,
    words: Vec<&'static str>,
    state: u64,
}

impl Author {
    fn new() -> Author {
        Author {
            text: String::new(),
            words: WORDS.split_whitespace().collect(),
            state: 0x9E37_79B9_7F4A_7C15,
        }
    }

    /// A number below `end` (xorshift64).
    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 16) as usize % end
    }

    fn word(&mut self) -> &'static str {
        let at = self.below(self.words.len());
        self.words[at]
    }

    fn phrase(&mut self, words: usize) -> String {
        let words: Vec<_> = (0..words).map(|_| self.word()).collect();
        let mut phrase = words.join(" ");
        let first = phrase.chars().next().map_or(0, char::len_utf8);
        phrase.replace_range(..first, &phrase[..first].to_uppercase());
        phrase
    }

    /// A sentence, now and then with emphasis, code or a link.
    fn sentence(&mut self) -> String {
        let words = 5 + self.below(7);
        let phrase = self.phrase(words);
        let word = self.word();
        match self.below(8) {
            0 => format!("{phrase} *{word}*."),
            1 => format!("{phrase} **{word}**."),
            2 => format!("{phrase} `{word}`."),
            3 => format!("{phrase} [{word}](https://example.org/{word})."),
            _ => format!("{phrase}."),
        }
    }

    fn heading(&mut self, level: usize) {
        let words = 2 + self.below(4);
        let phrase = self.phrase(words);
        self.text.push_str(&"#".repeat(level));
        self.text.push_str(&format!(" {phrase}\n\n"));
    }

    fn block(&mut self, kind: u8) {
        let size = 3 + self.below(3);
        let block = match kind {
            b'p' => self.lines(size, ""),
            b'q' => self.lines(size, "> "),
            b'l' => self.lines(size, "- "),
            b'c' => {
                let code: String = (0..size).map(|_| self.code()).collect();
                format!("```python\n{code}```\n")
            }
            _ => {
                let rows: String = (0..size).map(|_| self.row()).collect();
                format!("{}|---|---|---|\n{rows}", self.row())
            }
        };
        self.text.push_str(&block);
        self.text.push('\n');
    }

    fn lines(&mut self, count: usize, mark: &str) -> String {
        (0..count)
            .map(|_| format!("{mark}{}\n", self.sentence()))
            .collect()
    }

    fn code(&mut self) -> String {
        let (name, value) = (self.word(), self.word());
        format!("{name} = load(\"{value}\", retries={})\n", self.below(10))
    }

    fn row(&mut self) -> String {
        let (one, other) = (self.phrase(2), self.phrase(3));
        format!("| {one} | {other} | {} |\n", self.below(1000))
    }
}
