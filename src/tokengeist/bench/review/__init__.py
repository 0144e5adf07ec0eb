"""Review: people check a benchmark's gold graphs, and each other.

`sample` draws what they look at, `judgements` keeps what they say, `editing` lets them put a graph
right, `versions` tells their copies apart, `acceptance` and `agreement` make numbers of it (paper,
appendix, spot-check). The page is `server.review`.
"""
