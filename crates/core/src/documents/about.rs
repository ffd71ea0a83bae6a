//! A document's title, its file, and the sets that its front matter puts it into.

use super::fields::META;
use super::front_matter::FrontMatter;
use super::outline::Outline;
use crate::naming::slug::{Abbreviations, SlugMaker, SlugOptions};

/// The caller's options about a document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said<'a> {
    pub title: Option<&'a [u8]>,
    pub file: Option<&'a [u8]>,
    pub with_siblings: bool,
}

/// What a document has besides its outline.
#[derive(Debug)]
pub struct About<'a> {
    pub title: &'a [u8],
    pub file: Option<&'a [u8]>,
    /// The sets that its front matter puts it into, without their scope: `category:risk:docs`.
    pub document_sets: Vec<Vec<u8>>,
    /// The sets that its front matter puts its chunks into: `tag:risk:chunks`.
    pub chunk_sets: Vec<Vec<u8>>,
    pub with_siblings: bool,
}

impl<'a> About<'a> {
    pub fn of(
        said: Said<'a>,
        outline: &'a Outline,
        options: &SlugOptions,
        abbreviations: &Abbreviations,
    ) -> About<'a> {
        let FrontMatter {
            categories,
            authors,
            tags,
            ..
        } = &outline.front_matter;
        let mut maker = SlugMaker::new();
        // Each set once, even if two labels have the same slug.
        let mut sets = |family: &str, labels: &[String], members: &str| {
            let mut sets: Vec<Vec<u8>> = Vec::new();
            for label in labels {
                let slug = maker.slug(label.as_bytes(), options, abbreviations);
                let set =
                    slug.map(|slug| [family.as_bytes(), slug, members.as_bytes()].join(&b':'));
                sets.extend(set.filter(|set| !sets.contains(set)));
            }
            sets
        };
        let mut document_sets = sets("category", categories, "docs");
        document_sets.extend(sets("author", authors, "docs"));
        About {
            title: title_of(said, outline),
            file: said.file,
            document_sets,
            chunk_sets: sets("tag", tags, "chunks"),
            with_siblings: said.with_siblings,
        }
    }

    /// All sets that the front matter puts the document or its chunks into.
    pub fn sets(&self) -> Vec<Vec<u8>> {
        [&self.document_sets[..], &self.chunk_sets].concat()
    }

    /// The length of the document's fields of variable length, including the names of fields from the
    /// front matter.
    pub fn values_len(&self, outline: &Outline) -> usize {
        let front_matter = &outline.front_matter;
        let labels = [
            &front_matter.authors,
            &front_matter.categories,
            &front_matter.tags,
        ];
        let labels = labels.into_iter().flatten().map(|label| label.len() + 2);
        let meta = front_matter.meta.iter();
        let meta = meta.map(|(name, value)| META.len() + name.len() + value.len());
        let sets = self.document_sets.iter().chain(&self.chunk_sets);
        let sets = sets.map(|set| set.len() + 1);
        self.title.len()
            + self.file.map_or(0, <[u8]>::len)
            + outline.head.len()
            + labels.chain(meta).chain(sets).sum::<usize>()
    }
}

/// The caller's title, else the front matter's, else the file's name, else the first chapter's. The
/// chapter's comes before a file name that says nothing about the content.
fn title_of<'a>(said: Said<'a>, outline: &'a Outline) -> &'a [u8] {
    let in_front_matter = outline.front_matter.title.as_deref().map(str::as_bytes);
    let of_chapter = outline.first_title().map(str::as_bytes);
    let of_file = said.file.and_then(file_stem);
    let (next, last) = match of_file.is_some_and(is_any_folders) {
        true => (of_chapter.filter(|title| !title.is_empty()), of_file),
        false => (of_file, of_chapter),
    };
    said.title
        .or(in_front_matter)
        .or(next)
        .or(last)
        .unwrap_or_default()
}

/// Whether this is the name of a folder's main page, which any folder may have.
fn is_any_folders(stem: &[u8]) -> bool {
    let names: [&[u8]; 2] = [b"readme", b"index"];
    names.iter().any(|name| name.eq_ignore_ascii_case(stem))
}

/// A file's name without its folder and its extension.
fn file_stem(path: &[u8]) -> Option<&[u8]> {
    let name = path.rsplit(|&b| b == b'/' || b == b'\\').next()?;
    let dot = name.iter().rposition(|&b| b == b'.').filter(|&dot| dot > 0);
    let stem = name.get(..dot.unwrap_or(name.len()))?;
    (!stem.trim_ascii().is_empty()).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::super::outline::Cut;
    use super::*;

    fn outline(source: &str) -> Outline {
        Outline::of(source, &Cut::default()).unwrap()
    }

    #[test]
    fn a_title_comes_from_the_nearest_source() {
        let matter = outline("---\ntitle: Matter\n---\n# Chapter\n");
        let chapter = outline("# Chapter\n");
        let nothing = outline("text\n");
        let untitled = outline("#\n\ntext\n");
        let said = |title: Option<&'static str>, file: Option<&'static str>| Said {
            title: title.map(str::as_bytes),
            file: file.map(str::as_bytes),
            with_siblings: false,
        };
        for (said, outline, title) in [
            (said(Some("Said"), Some("a/file.md")), &matter, "Said"),
            (said(Some(""), Some("a/file.md")), &matter, ""),
            (said(None, Some("a/file.md")), &matter, "Matter"),
            (said(None, Some("a/file.md")), &chapter, "file"),
            (said(None, Some("a/.md")), &chapter, ".md"),
            (said(None, Some("a/ .md")), &chapter, "Chapter"),
            (said(None, Some("a/README.md")), &chapter, "Chapter"),
            (said(None, Some("a/Index.markdown")), &chapter, "Chapter"),
            (said(None, Some("readme")), &chapter, "Chapter"),
            (said(None, Some("a\\INDEX.md")), &chapter, "Chapter"),
            (said(None, Some("README.md")), &matter, "Matter"),
            (said(Some("Said"), Some("README.md")), &chapter, "Said"),
            (said(None, Some("a/README.md")), &nothing, "README"),
            (said(None, Some("a/README.md")), &untitled, "README"),
            (said(None, Some("a/README.de.md")), &chapter, "README.de"),
            (
                said(None, Some("readme-first.md")),
                &chapter,
                "readme-first",
            ),
            (said(None, None), &chapter, "Chapter"),
            (said(None, None), &nothing, ""),
        ] {
            let got = title_of(said, outline);
            assert_eq!(got, title.as_bytes(), "{said:?}");
        }
    }

    #[test]
    fn a_file_is_known_by_its_name_alone() {
        for (path, stem) in [
            ("docs/guide.md", Some("guide")),
            ("C:\\docs\\guide.tar.gz", Some("guide.tar")),
            ("guide", Some("guide")),
            (".profile", Some(".profile")),
            ("docs/", None),
            (" .md", None),
            ("", None),
        ] {
            let got = file_stem(path.as_bytes());
            assert_eq!(got, stem.map(str::as_bytes), "{path}");
        }
    }

    #[test]
    fn labels_become_sets_each_once() {
        let source =
            "---\ncategories: [Risk, risk, '!']\nauthors: [Ada]\ntags: [Hedge, Bond]\n---\n";
        let outline = outline(source);
        let said = Said {
            with_siblings: true,
            ..Said::default()
        };
        let about = About::of(
            said,
            &outline,
            &SlugOptions::default(),
            &Abbreviations::default(),
        );
        assert_eq!(
            about.document_sets,
            [b"category:risk:docs".to_vec(), b"author:ada:docs".to_vec()]
        );
        assert_eq!(
            about.chunk_sets,
            [b"tag:hedge:chunks".to_vec(), b"tag:bond:chunks".to_vec()]
        );
        assert_eq!(about.sets().len(), 4);
        assert!(about.with_siblings);
    }

    #[test]
    fn the_length_of_values_is_an_upper_bound() {
        let source = "---\ntags: [Hedge, Bond]\nedition: third\n---\n# A\n";
        let outline = outline(source);
        let said = Said {
            file: Some(b"a.md"),
            ..Said::default()
        };
        let about = About::of(
            said,
            &outline,
            &SlugOptions::default(),
            &Abbreviations::default(),
        );
        let values = "a" .len() // the title
            + "a.md".len()
            + outline.head.len()
            + "Hedge, Bond, ".len()
            + "meta.edition".len() + "third".len()
            + "tag:hedge:chunks tag:bond:chunks ".len();
        assert_eq!(about.values_len(&outline), values);
    }
}
