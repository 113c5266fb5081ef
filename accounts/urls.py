from django.urls import path

from accounts import account_views, server_views, views

urlpatterns = [
    path("", views.home, name="home"),
    path("new/", views.new_collection, name="new-collection"),
    path("account/", account_views.account, name="account"),
    path("account/tokens/make/", account_views.make_token, name="make-token"),
    path("account/tokens/revoke/", account_views.revoke_token, name="revoke-token"),
    path("account/erasure/", account_views.ask_erasure, name="ask-erasure"),
    path("people/", server_views.everyone, name="everyone"),
    path("people/<int:pk>/", server_views.server_person, name="server-person"),
    path("people/<int:pk>/erase/", server_views.erase, name="erase-person"),
    path("people/<int:pk>/factors/", server_views.remove_factors, name="remove-factors"),
    path("record/", server_views.server_record, name="server-record"),
    path("invitations/<str:token>/", views.invitation, name="invitation"),
    path("c/<slug:slug>/people/", views.people, name="people"),
    path("c/<slug:slug>/people/invite/", views.invite, name="invite"),
    path(
        "c/<slug:slug>/people/invitations/<int:pk>/withdraw/",
        views.withdraw_invitation,
        name="withdraw-invitation",
    ),
    path("c/<slug:slug>/people/<int:pk>/remove/", views.remove_person, name="remove-person"),
    path("c/<slug:slug>/record/", views.show_record, name="record"),
]
