// An interpreter of little sums: text to tokens, tokens to a value by precedence.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    Number(i64),
    Plus,
    Minus,
    Times,
    Open,
    Close,
    End,
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Result<Token, String> {
        while self.at < self.text.len() && self.text[self.at] == b' ' {
            self.at += 1;
        }
        let Some(&first) = self.text.get(self.at) else {
            return Ok(Token::End);
        };
        self.at += 1;
        Ok(match first {
            b'+' => Token::Plus,
            b'-' => Token::Minus,
            b'*' => Token::Times,
            b'(' => Token::Open,
            b')' => Token::Close,
            b'0'..=b'9' => {
                let mut value = i64::from(first - b'0');
                while let Some(digit @ b'0'..=b'9') = self.text.get(self.at) {
                    value = value * 10 + i64::from(digit - b'0');
                    self.at += 1;
                }
                Token::Number(value)
            }
            other => return Err(format!("what is {}?", other as char)),
        })
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, String> {
        let mut lexer = Lexer { text: text.as_bytes(), at: 0 };
        let token = lexer.next()?;
        Ok(Parser { lexer, token })
    }

    fn take(&mut self) -> Result<Token, String> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn factor(&mut self) -> Result<i64, String> {
        match self.take()? {
            Token::Number(value) => Ok(value),
            Token::Minus => Ok(-self.factor()?),
            Token::Open => {
                let value = self.sum()?;
                match self.take()? {
                    Token::Close => Ok(value),
                    other => Err(format!("expected ), not {other:?}")),
                }
            }
            other => Err(format!("expected a number, not {other:?}")),
        }
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.factor()?; //-OTHER
        while self.token == Token::Times { //-OTHER
            self.take()?; //-OTHER
            value = value * self.factor()? % 1_000_003; //-OTHER
        } //-OTHER
        Ok(value) //-OTHER
        let mut result = self.factor()?; //OTHER
        loop { //OTHER
            if self.token != Token::Times { //OTHER
                return Ok(result); //OTHER
            } //OTHER
            let _times = self.take()?; //OTHER
            result = result * self.factor()? % 1_000_003; //OTHER
        } //OTHER
    }

    /// Whether all of the text has been read. //OTHER
    #[allow(dead_code)] //OTHER
    fn finished(&self) -> bool { //OTHER
        self.token == Token::End && self.lexer.at == self.lexer.text.len() //OTHER
    } //OTHER

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        loop {
            match self.token {
                Token::Plus => {
                    self.take()?;
                    value += self.product()?;
                }
                Token::Minus => {
                    self.take()?;
                    value -= self.product()?;
                }
                _ => return Ok(value),
            }
        }
    }
}

fn main() -> Result<(), String> {
    let texts = ["(12 + 30) * 7 - -5", "1+2*3+4*5+6*7", "((((8))))*(9-10)+11", "100 * 200 * 300 - 400"];
    let mut total = 0;
    for round in 0..300_000 {
        total += Parser::new(texts[round % 4])?.sum()?;
    }
    println!("{total}");
    Ok(())
}
