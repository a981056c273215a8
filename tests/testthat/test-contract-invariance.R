# What must not matter: the order of the levels, columns and rows; the units of the columns; the
# shift, scale and sign of the response.

# Three classes, unordered in the rows, of three sizes; columns in no round numbers.
three <- local({
  set.seed(3)
  y <- factor(sample(rep(c("b", "a", "c"), c(50, 40, 30))))
  place <- c(a = 0, b = 1.5, c = 3)[as.character(y)]
  data.frame(y, u = place + rnorm(120), v = abs(place - 1) + rnorm(120), w = rnorm(120))
})
two <- droplevels(three[three$y != "c", ])
numbers <- transform(regression_data(), t = t + 0.3 * v)
columns_of <- function(d) d[setdiff(names(d), c("y", "t"))]

# The ways to fit classes: several classes and two, with probabilities, and what the fitter has
# beside these.
class_fits <- function(f) {
  args <- c(list(list(), list(probability = TRUE)), f$variants,
            if (f$class.weights) list(list(class.weights = "inverse")))
  args <- args[!vapply(args, function(a) identical(a$validation, "split"), NA)]
  unlist(lapply(list(three, two), function(d) {
    lapply(args, function(a) {
      list(data = d, fit = function(x = columns_of(d), y = d$y) {
        suppressWarnings(do.call(f$small, c(list(x, y, seed = 1), a)))
      })
    })
  }), recursive = FALSE)
}

# The ways to fit numbers.
number_fits <- function(f) {
  lapply(c(list(list()), f$variants), function(a) {
    function(x = columns_of(numbers), y = numbers$t, small = f$small) {
      suppressWarnings(do.call(small, c(list(x, y, seed = 1), a)))
    }
  })
}

expect_same_numbers <- function(a, b, x, other = x, shift = 0, unit = 1, tolerance = 1e-5) {
  expect_lt(max(abs(predict(b, other) - shift - unit * predict(a, x))),
            tolerance * abs(unit) * sd(numbers$t))
}

for_each_fitter(list(
  "the order of the levels does not matter" = function(f) {
    for (way in class_fits(f)) {
      d <- way$data
      expect_same_answers(way$fit(), way$fit(y = with_levels_reversed(d$y)), columns_of(d))
    }
  },
  "the order of the columns does not matter" = function(f) {
    for (way in class_fits(f)) {
      x <- columns_of(way$data)
      expect_same_answers(way$fit(), way$fit(x = x[3:1]), x)
    }
    if (!f$regression) return()
    x <- columns_of(numbers)
    for (fit in number_fits(f)) expect_same_numbers(fit(), fit(x = x[2:1]), x)
  },
  "the unit, the zero and the sign of a column do not matter" = function(f) {
    elsewhere <- function(x) Map(function(v, a, b) a + b * v, x, c(7, -3, 0), c(-0.1, 900, 1e-4))
    for (way in class_fits(f)) {
      x <- columns_of(way$data)
      other <- as.data.frame(elsewhere(x))
      expect_same_answers(way$fit(), way$fit(x = other), x, other)
    }
  },
  "the zero, the unit and the sign of the response do not matter" = function(f) {
    skip_if_not(f$regression)
    x <- columns_of(numbers)
    for (fit in number_fits(f)) {
      plain <- fit()
      expect_same_numbers(plain, fit(y = 1e4 + numbers$t), x, shift = 1e4)
      expect_same_numbers(plain, fit(y = 1e-3 * numbers$t), x, unit = 1e-3)
      expect_same_numbers(plain, fit(y = 5 + 300 * numbers$t), x, shift = 5, unit = 300)
      mirrored <- fit(y = -numbers$t, small = f$mirror %||% f$small)
      expect_same_numbers(plain, mirrored, x, unit = -1)
    }
  },
  "the order of the rows does not matter where nothing is drawn" = function(f) {
    skip_if(isTRUE(f$row.parts))
    quick <- function(...) do.call(f$quick, c(list(...), f$precise))
    set.seed(4)
    for (d in list(three, two)) {
      x <- columns_of(d)
      rows <- sample(nrow(d))
      expect_same_answers(quick(x, d$y), quick(x[rows, ], d$y[rows]), x, tolerance = 1e-3)
    }
    if (!f$regression) return()
    x <- columns_of(numbers)
    rows <- sample(nrow(x))
    expect_same_numbers(quick(x, numbers$t), quick(x[rows, ], numbers$t[rows]), x,
                        tolerance = 1e-3)
  }
))
